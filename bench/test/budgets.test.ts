import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { excesses, LIMITS } from '../agent/budgets/limits.ts'
import { mediansOf, worksOf } from '../agent/budgets/trace.ts'
import { ROOT } from '../lib/child.ts'
import type { BenchResult } from '../lib/result.ts'
import { toPage } from '../performance.ts'

test('a count above its limit is named with how far it is above', () => {
  const measured = { ...LIMITS, push: { ...LIMITS.push, opens: LIMITS.push.opens + 3 } }
  expect(excesses(LIMITS)).toEqual([])
  expect(excesses(measured)).toEqual([
    `files and folders opened of a push: ${LIMITS.push.opens + 3}, 3 above the limit of ${LIMITS.push.opens}`,
  ])
})

test('what was not counted is within no limit', () => {
  expect(excesses(mediansOf([]))).toHaveLength(36)
})

test('the calls between two marks of a trace are counted by what they do', () => {
  const trace = `1 access("/before", F_OK) = 0
1 access("/budget/begins", F_OK) = -1 ENOENT (No such file or directory)
1 openat(AT_FDCWD</>, "/proc/1/io", O_RDONLY|O_CLOEXEC) = 9</proc/1/io>
1 pread64(9</proc/1/io>, "rchar: 1"..., 1024, 0) = 107
1 read(4<anon_inode:[eventfd]>, "\\1\\0", 1024) = 8
1 write(7<socket:[200032]>, "\\27"..., 200) = 200
2 statfs("/",  <unfinished ...>
1 futex(0x1, FUTEX_WAKE_PRIVATE, 1) = 1
1 epoll_pwait(3<anon_inode:[eventpoll]>, [], 1024, 0, NULL, 8) = 0
1 epoll_pwait(3<anon_inode:[eventpoll]>,  <unfinished ...>
2 <... statfs resumed>{f_type=EXT2_SUPER_MAGIC}) = 0
1 <... epoll_pwait resumed>[{events=EPOLLIN, data={u32=4, u64=4}}], 1024, 270, NULL, 8) = 1
1 rename("/s/status.json.1.tmp", "/s/status.json") = 0
1 access("/budget/ends/52000/1", F_OK) = -1 ENOENT (No such file or directory)
1 access("/after", F_OK) = 0
`
  const counts = { calls: 8, opens: 1, reads: 1, bytesRead: 107, listings: 0, lookups: 1, writes: 0, syncs: 0 }
  expect(worksOf(trace)).toEqual([
    { unit: 'push', counts: { ...counts, network: 1, wakeUps: 1, threadCalls: 1, allocatedBytes: 52_000 }, collections: 1 },
  ])
})

/** The formatter aligns tables. */
const unaligned = (page: string) => page.replaceAll(/ {2,}/g, ' ').replaceAll(/-{3,}/g, '---').trimEnd()

test('docs/performance.md is what the saved results and the budgets say', () => {
  const results = JSON.parse(readFileSync(join(ROOT, 'bench/results.json'), 'utf8')) as Record<string, BenchResult>
  const page = readFileSync(join(ROOT, 'docs/performance.md'), 'utf8')
  expect(unaligned(page), '`npm run bench -- --save` writes it').toBe(unaligned(toPage(Object.values(results))))
})
