import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { FakeClock } from '../../test/fake-clock.ts'
import { addTo, tree } from '../../test/tree.ts'
import { DeviceFolders } from './device-files.ts'

const COUNT = 'kernel/uevent_seqnum'

test('folders of devices are listed again only after an event of a device', async () => {
  const clock = new FakeClock()
  const root = tree({ [COUNT]: '7\n', 'class/hwmon/hwmon0': '' })
  const { list } = new DeviceFolders(clock, root)
  const hwmon = () => list(`${root}/class/hwmon`)
  expect([hwmon(), list(`${root}/class/drm`)]).toEqual([['hwmon0'], []])
  // Without an event nothing is there that was not before: this shows only that the folder is not listed.
  addTo(root, { 'class/hwmon/hwmon1': '' })
  await clock.advance(60_000)
  expect(hwmon()).toEqual(['hwmon0'])
  addTo(root, { [COUNT]: '8\n', 'class/drm/card0': '' })
  await clock.advance(60_000)
  expect([hwmon(), list(`${root}/class/drm`)]).toEqual([['hwmon0', 'hwmon1'], ['card0']])
})

test('where the kernel numbers no events, folders are listed each time', () => {
  const root = tree({ 'class/hwmon/hwmon0': '' })
  const { list } = new DeviceFolders(new FakeClock(), root)
  expect(list(`${root}/class/hwmon`)).toEqual(['hwmon0'])
  rmSync(`${root}/class/hwmon/hwmon0`)
  expect(list(`${root}/class/hwmon`)).toEqual([])
})
