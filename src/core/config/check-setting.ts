/** Whether a value is one that a setting takes; and the value that a text of the environment or of an option means. */
import type { Form, Setting } from './settings.ts'

/** What is wrong with it, as the end of a sentence; undefined when it is right. */
export function faultOf(setting: Setting, value: unknown): string | undefined {
  switch (setting.kind) {
    case 'text':
      return textFault(value, setting)
    case 'whole':
      return typeof value === 'number' && Number.isSafeInteger(value) && value >= setting.min && value <= setting.max
        ? undefined
        : `is a whole number from ${setting.min} to ${setting.max}`
    case 'flag':
      return typeof value === 'boolean' ? undefined : 'is true or false'
    case 'list': {
      if (!Array.isArray(value)) return 'is a list'
      const fault = value.map((one) => textFault(one, setting)).find((one) => one !== undefined)
      return fault === undefined ? undefined : `is a list, and each of it ${fault}`
    }
  }
}

function textFault(
  value: unknown,
  { values, form }: { readonly values?: readonly string[]; readonly form?: Form },
): string | undefined {
  if (typeof value !== 'string' || value === '') return 'is a text'
  if (values !== undefined && !values.includes(value)) return `is one of ${values.join(', ')}`
  return form === undefined || new RegExp(form.pattern, 'u').test(value) ? undefined : `is ${form.is}`
}

const FLAGS: Readonly<Record<string, boolean>> = { true: true, on: true, 1: true, false: false, off: false, 0: false }

/** As far as the text has the form of one; otherwise the text, which is then refused. */
export function meantBy({ kind }: Setting, text: string): unknown {
  if (kind === 'list')
    return text
      .split(',')
      .map((one) => one.trim())
      .filter((one) => one !== '')
  if (kind === 'whole') return /^\d{1,15}$/.test(text) ? Number(text) : text
  if (kind === 'flag') return Object.hasOwn(FLAGS, text) ? FLAGS[text] : text
  return text
}
