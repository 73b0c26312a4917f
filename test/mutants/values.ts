/** Faults planted where values are read: outputs that are dropped, swapped, nulled, forgotten or read one off. */
import type { Mutant } from './mutant.ts'

const READ = 'test/core/values-read.test.ts'

export const VALUES: readonly Mutant[] = [
  {
    name: 'what the append itself put out reads as null',
    file: 'app/append-values.ts',
    find: 'return data?.result ?? null',
    replace: 'return data === undefined ? null : null',
  },
  {
    name: 'the append in the making is not looked at',
    file: 'app/run-outputs.ts',
    find: 'if (append?.holds(seq) === true) return append.output(seq)\n  return values',
    replace: 'return values',
  },
  {
    name: 'a value that was just committed is kept as null',
    file: 'app/committed-values.ts',
    find: 'this.#outputs.set(seq, Promise.resolve(value))',
    replace: 'this.#outputs.set(seq, Promise.resolve(value === value ? null : value))',
  },
  {
    name: 'a list is read one off',
    file: 'app/run-outputs.ts',
    find: '(_, item) => itemSeq(state, parent, fan, item)',
    replace: '(_, item) => itemSeq(state, parent, fan, Math.max(0, item - 1))',
  },
  {
    name: 'a list is put together backwards',
    file: 'app/run-outputs.ts',
    find: 'for (const seq of seqs) {\n    if (append',
    replace: 'for (const seq of seqs.toReversed()) {\n    if (append',
  },
  {
    name: 'the last of a list is dropped',
    file: 'app/run-outputs.ts',
    find: '  return list\n}',
    replace: '  return list.slice(0, Math.max(1, list.length - 1))\n}',
  },
  {
    name: 'one fan-out is given the list of another',
    file: 'app/committed-values.ts',
    find: 'return `fan:${parentSeq}`',
    replace: "return parentSeq < 0 ? '' : 'fan'",
  },
  {
    name: 'an item is given its neighbour',
    file: 'app/slot-roots.ts',
    find: 'return items[at.unit.item]\n',
    replace: 'return items[Math.max(0, at.unit.item - 1)]\n',
  },
  {
    name: 'what an item was saved by is not read',
    file: 'app/run-outputs.ts',
    find: 'const done = unit.recovered ? vectorGet(state.units, fallback) : unit',
    replace: 'const done = fallback < -1 ? vectorGet(state.units, fallback) : unit',
  },
  {
    name: 'a repeat sees what was put out later',
    file: 'app/slot-roots.ts',
    find: 'stepOutput(store, run, state, stepId, at.outputsUpTo, at.append)',
    replace: 'stepOutput(store, run, state, stepId, Infinity, at.append)',
    catcher: 'test/core/data-flow-stability.test.ts',
  },
  {
    name: 'a capture takes the whole output',
    file: 'app/capture-output.ts',
    find: 'values.push(value.value)',
    replace: 'values.push(output)',
  },
  {
    name: 'a fork takes null over',
    file: 'app/taken-over.ts',
    find: '...(output === null || large !== undefined ? {} : { result: output }),',
    replace: '',
  },
  {
    name: 'an event that is not there reads as nothing',
    file: 'app/read-results.ts',
    find: 'if (page[0]?.runSeq !== first) missing(first)',
    replace: 'if (page[0]?.runSeq !== first) return results',
    catcher: READ,
  },
  {
    name: 'a value that was erased reads as null',
    file: 'app/read-results.ts',
    find: 'if (isErased(record)) erased(`the result at event ${record.runSeq}`)',
    replace: '',
    catcher: READ,
  },
  {
    name: 'steps share the values they are given',
    file: 'app/execute-step.ts',
    find: 'jsonCopy(input)',
    replace: 'input',
    catcher: READ,
  },
  {
    name: 'what a function returned is read, not what was recorded',
    file: 'app/prepare-outcome.ts',
    find: '(JSON.parse(text) as unknown) : output',
    replace: 'output : (text as unknown)',
    catcher: READ,
  },
  {
    name: 'a change of parameters waits for the next append',
    file: 'app/slot-roots.ts',
    find: 'at.append === undefined ? at.seq : Infinity',
    replace: 'at.seq',
    catcher: READ,
  },
  {
    name: 'each result of a list is read by itself',
    file: 'app/read-results.ts',
    find: 'return last - first + 1',
    replace: 'return Math.min(1, last - first + 1)',
    catcher: 'src/app/read-results.test.ts',
  },
  {
    name: 'a wrong fact is taken for right',
    file: 'app/check-facts.ts',
    find: 'if (sameFacts(derived, asked.facts)) return undefined\n',
    replace: 'return undefined\n',
    catcher: 'src/app/check-facts.test.ts',
  },
]
