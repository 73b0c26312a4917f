/** The ways in which a secret value is written down in logs, addresses and headers: what a redactor looks for. */

/** A line of a key file is as telling as the file. */
const LINE_MIN_CHARS = 16
const ENCODED_MIN_CHARS = 4
/** A short piece of base64 is in every other text by chance. */
const BASE64_MIN_CHARS = 6

export function secretForms(value: string): readonly string[] {
  const trimmed = value.trim()
  const lines = value.split(/\r?\n/).map((line) => line.trim())
  const plain = new Set([
    value,
    trimmed,
    ...(lines.length < 2 ? [] : lines.filter((line) => line.length >= LINE_MIN_CHARS)),
  ])
  plain.delete('')
  // The encodings of a very short one are in every other text by chance.
  return [
    ...new Set([...plain].flatMap((one) => (one.length < ENCODED_MIN_CHARS ? [one] : [one, ...encodedForms(one)]))),
  ]
}

function encodedForms(value: string): readonly string[] {
  const bytes = Buffer.from(value)
  const url = encodeURIComponent(value.toWellFormed())
  const json = JSON.stringify(value).slice(1, -1)
  return [
    url,
    url.replaceAll('%20', '+'),
    // What encodeURIComponent leaves and others do not.
    url.replaceAll(/[!'()*~]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`),
    url.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    encodeURI(value.toWellFormed()),
    json,
    JSON.stringify(json).slice(1, -1),
    ...base64Forms(bytes),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
  ]
}

/**
 * Base64 of the value wherever it begins in the encoded text: of the three ways it can lie in groups of three bytes, the
 * characters that hang on nothing but the value.
 */
function base64Forms(bytes: Buffer): readonly string[] {
  const forms = [bytes.toString('base64').replaceAll('=', '')]
  for (const before of [0, 1, 2]) {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replaceAll('=', '')
    const from = Math.ceil((before * 8) / 6)
    const to = Math.floor(((before + bytes.length) * 8) / 6)
    forms.push(text.slice(from, to))
  }
  const telling = forms.filter((form) => form.length >= BASE64_MIN_CHARS)
  return [...telling, ...telling.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'))]
}
