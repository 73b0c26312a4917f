/** Bytes that are not UTF-8 are found where a strict decoder stops. */
import { expect, it } from 'vitest'
import { utf8Fault } from './utf8-fault.ts'

it.each([
  [[0x61, 0x0a, 0xc3, 0xa4, 0xe9], 2, 2, 'the byte 0xe9 (number 5) is not UTF-8'],
  [[0xc0, 0xaf], 1, 1, 'the byte 0xc0 (number 1) is not UTF-8'],
  [[0x61, 0xed, 0xa0, 0x80], 1, 2, 'the byte 0xed (number 2) is not UTF-8'],
  [[0xf4, 0x90, 0x80, 0x80], 1, 1, 'the byte 0xf4 (number 1) is not UTF-8'],
  [[0x61, 0xe2, 0x82], 1, 2, 'the byte 0xe2 (number 2) is not UTF-8'],
  [[0xff, 0xfe, 0x7b, 0x00], 1, 1, 'this is UTF-16; only UTF-8 is read'],
])('%s', (bytes, line, column, message) => {
  expect(() => new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array(bytes))).toThrow()
  expect(utf8Fault(new Uint8Array(bytes))).toEqual({ line, column, message })
})
