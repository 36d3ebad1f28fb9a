import { expect, test } from 'vitest'
import { toDetails } from './host-details.ts'

test('unknown states have no gauges, never 0 [SAMPLE-15]', () => {
  expect(toDetails({ uptime_seconds: 5 })).toEqual({ host: { uptime_seconds: 5 } })
  expect(toDetails({ reboot_required: false })).toEqual({ host: { reboot_required: false }, gauges: { reboot_required: 0 } })
})

test('all failed units are counted, and 32 are named', () => {
  const units = Array.from({ length: 40 }, (_, index) => `unit-${index}.service`)
  const { host, gauges } = toDetails({ failed_units: units, reboot_required: true, missing_processes: ['nginx'] })
  expect(host).toEqual({ failed_units: units.slice(0, 32), reboot_required: true, missing_processes: ['nginx'] })
  expect(gauges).toEqual({ failed_units: 40, reboot_required: 1, missing_processes: 1 })
})
