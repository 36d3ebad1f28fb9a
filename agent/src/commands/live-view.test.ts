import { expect, test } from 'vitest'
import { createLiveView, sparkline } from './live-view.ts'

test('a sparkline has the newest value at the right, gaps for missing values, and a bounded width', () => {
  expect(sparkline([0, 50, undefined, 100], 6, 100)).toBe('  ▁▅ █')
  expect(sparkline([1, 2, 4], 2)).toBe('▅█')
  expect(sparkline([0, 0], 2)).toBe('▁▁')
  expect(sparkline([], 3)).toBe('   ')
})

test('the view has a line per value with its unit, as wide as the terminal', () => {
  const view = createLiveView()
  view.add({
    values: { cpu: { percent: 12.5 }, network: { rx_bytes_per_sec: 1_250_000 } },
    filesystems: [{ mount: '/', fs_type: 'ext4', used_bytes: 5e9, total_bytes: 10e9, percent: 50 }],
  })
  const lines = view.draw(60).split('\n')
  expect(lines[0]).toMatch(/^cpu {10}\s+12\.5 % {2}/)
  expect(lines.find((line) => line.startsWith('received'))).toContain('1.3 MB/s')
  expect(lines.find((line) => line.startsWith('swap'))).toContain(' - ')
  expect(lines.at(-1)).toContain('/ (5.0 GB of 10.0 GB)')
  expect(lines.every((line) => line.length <= 60)).toBe(true)
})
