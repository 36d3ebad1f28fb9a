import { expect, test } from 'vitest'
import { type MeasuredProcess, topProcesses } from './top-processes.ts'

const measured = (pid: number, cpuPercent: number | undefined, memoryBytes: number | undefined, name = `p${pid}`) =>
  ({ pid, name, cpuPercent, memoryBytes }) satisfies MeasuredProcess

test('the list has five processes by CPU, then five by memory, each once, without idle ones', () => {
  const all = [
    ...[1, 2, 3, 4, 5, 6, 7].map((pid) => measured(pid, pid, 0)),
    ...[11, 12, 13, 14, 15, 16].map((pid) => measured(pid, 0, pid)),
    measured(20, 50, 1_000),
    measured(30, 0, 0),
  ]
  expect(topProcesses(all).map(({ pid }) => pid)).toEqual([20, 7, 6, 5, 4, 16, 15, 14, 13])
})

test('unknown values are null, known ones rounded and at most 100 percent', () => {
  expect(topProcesses([measured(1, undefined, 5), measured(2, 3.14159, undefined), measured(3, 100.4, 1)])).toEqual([
    { pid: 3, name: 'p3', cpu_percent: 100, memory_bytes: 1 },
    { pid: 2, name: 'p2', cpu_percent: 3.14, memory_bytes: null },
    { pid: 1, name: 'p1', cpu_percent: null, memory_bytes: 5 },
  ])
})

test.each([
  ['', '?'],
  ['a\u001b[31mred\n', 'a?[31mred?'],
  ['half \ud83d', 'half \ufffd'],
  ['n'.repeat(65), 'n'.repeat(64)],
  ['😀'.repeat(70), '😀'.repeat(64)],
])('the name %j becomes printable and bounded', (name, expected) =>
  expect(topProcesses([measured(1, 1, 1, name)])[0]?.name).toBe(expected),
)
