"""Canonical JSON (RFC 8785) and a strict reader, as docs/reference/log.md asks for them. Standard library only."""
import json


class NotCanonical(Exception):
    pass


def _pairs(pairs):
    fields = {}
    for name, value in pairs:
        if name in fields:
            raise NotCanonical("the name %r is given twice" % name)
        fields[name] = value
    return fields


def _constant(name):
    raise NotCanonical("%s is no JSON" % name)


def read(text):
    """A JSON value; numbers become int or float."""
    try:
        return json.loads(text, object_pairs_hook=_pairs, parse_constant=_constant)
    except (ValueError, RecursionError) as error:
        raise NotCanonical("it is not JSON: %s" % error)


def write(value):
    """The canonical text of a value that `read` gave."""
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, (int, float)):
        return _number(value)
    if isinstance(value, list):
        return "[" + ",".join(write(item) for item in value) + "]"
    names = sorted(value, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
    return "{" + ",".join(_string(name) + ":" + write(value[name]) for name in names) + "}"


_SHORT = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}


def _string(text):
    out = []
    for char in text:
        code = ord(char)
        if 0xD800 <= code <= 0xDFFF:
            raise NotCanonical("a text holds half of a character")
        if char in _SHORT:
            out.append(_SHORT[char])
        elif code < 0x20:
            out.append("\\u%04x" % code)
        else:
            out.append(char)
    return '"' + "".join(out) + '"'


def _number(value):
    """As ECMAScript writes a double: the shortest digits that read back, in decimal from 1e-6 up to below 1e21."""
    double = float(value)
    if double != double or double in (float("inf"), float("-inf")):
        raise NotCanonical("a number is not finite")
    if double == 0:
        return "0"
    sign = "-" if double < 0 else ""
    mantissa, _, exponent = repr(abs(double)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    shown = (whole + fraction).lstrip("0")
    leading = len(whole + fraction) - len(shown)
    point = len(whole) - leading + int(exponent or 0)
    digits = shown.rstrip("0")
    count = len(digits)
    if count <= point <= 21:
        return sign + digits + "0" * (point - count)
    if 0 < point <= 21:
        return sign + digits[:point] + "." + digits[point:]
    if -6 < point <= 0:
        return sign + "0." + "0" * -point + digits
    power = point - 1
    tail = "e" + ("+" if power > 0 else "-") + str(abs(power))
    return sign + digits[0] + ("." + digits[1:] if count > 1 else "") + tail
