import { expect, it } from 'vitest'
import { readCommand } from './palette-command.ts'

const WORDS = { acknowledge: 'acknowledge', check: 'check', pause: 'pause', resume: 'resume', silence: 'silence' }

it.each([
  ['check shop', 'check', 'shop'],
  ['pause shop', 'pause', 'shop'],
  ['Pau the shop', 'pause', 'the shop'],
  ['ack  db is down', 'acknowledge', 'db is down'],
  ['silence ', 'silence', ''],
  ['pause', undefined, 'pause'],
  ['pa shop', undefined, 'pa shop'],
  ['paused shop', undefined, 'paused shop'],
  ['shop pause', undefined, 'shop pause'],
  ['', undefined, ''],
])('%j is the command %s of %j', (typed, command, rest) => expect(readCommand(typed, WORDS)).toEqual({ command, rest }))
