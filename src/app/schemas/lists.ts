/** The keywords of JSON Schema that judge lists and their items. */
import { below, changed, isEnough, meet, mistaken, notePlace, type Check, type Fields, type Frame, type Part } from './part.ts'
import { keyOf } from './values.ts'

export type PartOf = (schema: unknown) => Part

type ListCheck = (value: readonly unknown[], frame: Frame) => boolean

export function listChecks(schema: Fields, partOf: PartOf): readonly (Check | undefined)[] {
  const { maxItems: most, minItems: least, items, prefixItems, contains } = schema
  const first = Array.isArray(prefixItems) ? prefixItems.map(partOf) : []
  return [
    typeof most !== 'number'
      ? undefined
      : ofLists((list, frame) => list.length <= most || mistaken(frame, `must NOT have more than ${most} items`)),
    typeof least !== 'number'
      ? undefined
      : ofLists((list, frame) => list.length >= least || mistaken(frame, `must NOT have fewer than ${least} items`)),
    schema['uniqueItems'] === true ? ofLists(areUnique) : undefined,
    first.length === 0 ? undefined : ofLists((list, frame) => eachItem(list, frame, 0, first)),
    items === undefined ? undefined : itemsCheck(items, first.length, partOf(items)),
    contains === undefined ? undefined : containsCheck(partOf(contains), schema),
  ]
}

/** Last: by then every other part has reported what it evaluated. */
export function unevaluatedItems(schema: Fields, partOf: PartOf): Check | undefined {
  if (schema['unevaluatedItems'] === undefined) return undefined
  const part = partOf(schema['unevaluatedItems'])
  return ofLists((list, frame) => {
    const { seen } = frame
    if (seen === undefined || seen.allPlaces) return true
    let isValid = true
    for (const [place, item] of list.entries()) {
      frame.budget.spend(2)
      if (seen.places.has(place) || meet(part, item, below(frame, place))) continue
      isValid = mistaken(frame, `must NOT have more than ${place} items`)
      break
    }
    seen.allPlaces = true
    return isValid
  })
}

function ofLists(check: ListCheck): Check {
  return (value, frame) => !Array.isArray(value) || check(value, frame)
}

function itemsCheck(items: unknown, from: number, part: Part): Check {
  return ofLists((list, frame) => {
    if (frame.seen !== undefined) frame.seen.allPlaces = true
    if (items === false && list.length > from) return mistaken(frame, `must NOT have more than ${from} items`)
    return eachItem(list, frame, from, part)
  })
}

/** `parts`: one for each item from the first on, or one for all. */
function eachItem(list: readonly unknown[], frame: Frame, from: number, parts: Part | readonly Part[]): boolean {
  let isValid = true
  const end = isOne(parts) ? list.length : Math.min(list.length, parts.length)
  for (let place = from; place < end; place++) {
    const part = isOne(parts) ? parts : parts[place]
    notePlace(frame, place)
    if (part === undefined || meet(part, list[place], below(frame, place))) continue
    isValid = false
    if (isEnough(frame)) return false
  }
  return isValid
}

function isOne(parts: Part | readonly Part[]): parts is Part {
  return !Array.isArray(parts)
}

function areUnique(list: readonly unknown[], frame: Frame): boolean {
  const places = new Map<string, number>()
  for (const [place, item] of list.entries()) {
    const key = keyOf(item, frame.budget)
    const other = places.get(key)
    if (other !== undefined) {
      return mistaken(frame, `must NOT have duplicate items (items ## ${other} and ${place} are identical)`)
    }
    places.set(key, place)
  }
  return true
}

function containsCheck(part: Part, { minContains, maxContains }: Fields): Check {
  const least = typeof minContains === 'number' ? minContains : 1
  const most = typeof maxContains === 'number' ? maxContains : Infinity
  const wanted =
    most === Infinity
      ? `must contain at least ${least} valid item(s)`
      : `must contain at least ${least} and no more than ${most} valid item(s)`
  return ofLists((list, frame) => {
    let found = 0
    for (const [place, item] of list.entries()) {
      if (!meet(part, item, changed(below(frame, place), { mistakes: undefined, fills: false }))) continue
      found += 1
      notePlace(frame, place)
      if (found > most || (found >= least && most === Infinity && frame.seen === undefined)) break
    }
    return (found >= least && found <= most) || mistaken(frame, wanted)
  })
}
