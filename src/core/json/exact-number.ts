/**
 * Which written numbers a JSON number can hold. A whole number beyond ±(2^53 − 1) would silently become its neighbour,
 * and one that is too large or too small would become infinity or zero; both are refused. A fraction becomes the
 * nearest double, as in every JSON reader: it keeps at least 15 digits.
 */
const PARTS = /^[+-]?(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/
const WHOLE = /^[+-]?\d+$/

export function isWholeNumber(written: string): boolean {
  return WHOLE.test(written)
}

/** Why a number cannot be kept as JSON or YAML wrote it; undefined when it can. */
export function numberLoss(written: string): string | undefined {
  const value = Number(written)
  if (!Number.isFinite(value)) return `the number ${shown(written)} is too large`
  if (value === 0) return /^[^eE]*[1-9]/.test(written) ? `the number ${shown(written)} is too small` : undefined
  if (Math.abs(value) <= Number.MAX_SAFE_INTEGER) return undefined
  // Beyond the safe range an exponent shows that its author means an order of magnitude: 1e20 comes back as written.
  if (!isWholeNumber(written) && decimalOf(written) === decimalOf(String(value))) return undefined
  return `the number ${shown(written)} is beyond ±9007199254740991 and would be changed`
}

/** Equal for equal values in any notation: the digits without zeros at their ends, and the exponent. */
function decimalOf(written: string): string | undefined {
  const parts = PARTS.exec(written)
  if (parts === null) return undefined
  const [, whole = '', fraction = '', exponent = '0'] = parts
  const digits = (whole + fraction).replace(/^0+/, '')
  const kept = digits.replace(/0+$/, '')
  return `${kept}e${Number(exponent) - fraction.length + digits.length - kept.length}`
}

const SHOWN_CHARS = 40

function shown(written: string): string {
  return written.length <= SHOWN_CHARS ? written : `${written.slice(0, SHOWN_CHARS)}…`
}
