import { execFileSync } from 'node:child_process'
import { chmodSync, readdirSync, readFileSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { FakeClock } from '../../test/fake-clock.ts'
import { tree } from '../../test/tree.ts'
import { parseSmart, SmartSource } from './smart.ts'

/** Written by hand after the JSON that the source of smartctl 7.3 and 7.4 writes; no disk with S.M.A.R.T. was at hand. */
const ATA = {
  device: { name: '/dev/sda', type: 'sat', protocol: 'ATA' },
  model_name: 'WDC WD40EFRX-68N32N0',
  serial_number: 'WD-WCC7K0000001',
  firmware_version: '82.00A82',
  user_capacity: { blocks: 7_814_037_168, bytes: 4_000_787_030_016 },
  smart_status: { passed: false },
  ata_smart_attributes: {
    table: [
      { id: 5, name: 'Reallocated_Sector_Ct', value: 199, thresh: 140, when_failed: '', raw: { value: 8, string: '8' } },
      { id: 187, name: 'Reported_Uncorrect', value: 100, raw: { value: 2, string: '2' } },
      { id: 197, name: 'Current_Pending_Sector', value: 200, raw: { value: 1, string: '1' } },
    ],
  },
  power_on_time: { hours: 41_230 },
  temperature: { current: 34 },
}
const NVME = {
  device: { name: '/dev/nvme0', type: 'nvme', protocol: 'NVMe' },
  model_name: 'Samsung SSD 980 PRO 1TB',
  serial_number: 'S5GXNX0R000001',
  firmware_version: '5B2QGXA7',
  nvme_total_capacity: 1_000_204_886_016,
  smart_status: { passed: true, nvme: { value: 0 } },
  nvme_smart_health_information_log: {
    critical_warning: 0,
    temperature: 41,
    available_spare: 100,
    percentage_used: 103,
    media_errors: 0,
  },
  temperature: { current: 41 },
  power_on_time: { hours: 9_120 },
}
const SCSI = {
  device: { name: '/dev/sdb', type: 'scsi', protocol: 'SCSI' },
  scsi_model_name: 'SEAGATE ST4000NM0023',
  scsi_revision: '0004',
  serial_number: 'Z1Z00001',
  user_capacity: { bytes: 4_000_787_030_016 },
  smart_status: { passed: true },
  temperature: { current: 30, drive_trip: 68 },
  power_on_time: { hours: 100, minutes: 3 },
  scsi_grown_defect_list: 12,
  scsi_error_counter_log: { read: { total_uncorrected_errors: 3 }, write: { total_uncorrected_errors: 1 } },
}

describe('parseSmart', () => {
  test.each([
    [
      ATA,
      'WDC WD40EFRX-68N32N0 WD-WCC7K0000001',
      {
        healthy: 0,
        reallocated_sectors: 8,
        pending_sectors: 1,
        media_errors: 2,
        power_on_hours: 41_230,
        temperature_celsius: 34,
        size_bytes: 4_000_787_030_016,
      },
      { protocol: 'ATA', state: 'failed', firmware: '82.00A82' },
    ],
    [
      NVME,
      'Samsung SSD 980 PRO 1TB S5GXNX0R000001',
      {
        healthy: 1,
        used_percent: 103,
        spare_percent: 100,
        media_errors: 0,
        power_on_hours: 9_120,
        temperature_celsius: 41,
        size_bytes: 1_000_204_886_016,
      },
      { protocol: 'NVMe', state: 'passed' },
    ],
    [
      SCSI,
      'SEAGATE ST4000NM0023 Z1Z00001',
      {
        healthy: 1,
        reallocated_sectors: 12,
        media_errors: 4,
        power_on_hours: 100,
        temperature_celsius: 30,
        size_bytes: 4_000_787_030_016,
      },
      { protocol: 'SCSI', firmware: '0004' },
    ],
  ])('reads the health of a disk', (json, name, values, attributes) => {
    const reading = parseSmart(JSON.stringify(json), 'sda')
    expect(reading).toMatchObject({ kind: 'disk', name, attributes })
    expect(reading?.values).toEqual(values)
  })

  test('knows nothing of a disk without health, and takes no value of another type', () => {
    expect(parseSmart('{"smartctl":{"exit_status":1}}', 'vda')).toBeUndefined()
    for (const text of ['null', '[]', '5', '{"smart_status":[],"ata_smart_attributes":{"table":[null,5]}}'])
      expect(parseSmart(text, 'x')).toBeUndefined()
    expect(parseSmart('{"smart_status":{"passed":true},"temperature":{"current":"hot"},"serial_number":5}', 'sdc_auto')).toEqual({
      kind: 'disk',
      name: 'sdc_auto',
      values: { healthy: 1 },
      attributes: { state: 'passed' },
    })
  })
})

test.each<[unknown, number | undefined]>([
  [{ value: 7, string: '7' }, 7],
  [{ value: 327_680, string: '0 (0 5)' }, 0],
  [{ value: 1_245_184, string: '0 (Average 19)' }, 0],
  [{ value: 7 }, 7],
  // Packed in a way that smartctl does not name, or in several numbers whose order depends on the maker.
  [{ value: 281_474_976_710_655, string: '281474976710655' }, undefined],
  [{ value: 4_295_032_833, string: '1/1' }, undefined],
  [{ value: 4_295_032_833, string: '0 1 1' }, undefined],
  [{ value: 65_535, string: '0x00000000ffff' }, undefined],
  [{ value: -1 }, undefined],
  [{ value: '7' }, undefined],
  ['7', undefined],
])('the raw value %j of an attribute is %s', (raw, count) => {
  const text = JSON.stringify({ ...ATA, ata_smart_attributes: { table: [{ id: 5, name: 'Reallocated_Sector_Ct', raw }] } })
  expect(parseSmart(text, 'x')?.values['reallocated_sectors']).toBe(count)
})

test.each<[string, string, number, number | undefined]>([
  ['Percent_Lifetime_Remain', 'Micron', 92, 8],
  ['Media_Wearout_Indicator', 'Intel', 100, 0],
  ['SSD_Life_Left', 'Kingston', 1, 99],
  ['Wear_Leveling_Count', 'Samsung based SSDs', 87, 13],
  ['Wear_Leveling_Count', 'SandForce Driven SSDs', 87, undefined],
  ['SSD_Life_Left', 'Kingston', 253, undefined],
  ['Power_Cycle_Count', 'Intel', 99, undefined],
])('%s of %s at %i: %s percent are used', (name, family, value, used) => {
  const text = JSON.stringify({
    ...ATA,
    model_family: family,
    ata_smart_attributes: { table: [{ id: 1, name, value, raw: { value: 3, string: '3' } }] },
  })
  expect(parseSmart(text, 'x')?.values['used_percent']).toBe(used)
})

test('files are read again when they are replaced, left out when they are a day old, and faults are logged once', async () => {
  const folder = tree({ 'sda_auto.json': JSON.stringify(ATA), 'sdb_auto.json': '{', 'sda_auto.json.new': '{' })
  const clock = new FakeClock(Date.now())
  const logged: string[] = []
  const source = new SmartSource(clock, (_level, message) => void logged.push(message), folder)
  for (let read = 0; read < 2; read++) expect(await source.read()).toMatchObject([{ values: { healthy: 0 } }])
  expect(logged).toEqual(['cannot read the health of a disk from sdb_auto.json'])
  writeFileSync(join(folder, 'next'), JSON.stringify({ ...ATA, smart_status: { passed: true } }))
  renameSync(join(folder, 'next'), join(folder, 'sda_auto.json'))
  expect(await source.read()).toMatchObject([{ values: { healthy: 1 } }])
  clock.setWall(86_460_000)
  expect(await source.read()).toEqual([])
})

test('the script of the unit writes what smartctl reports, and does not wake a disk that sleeps', () => {
  const folder = tree({
    'bin/smartctl': `#!/bin/sh
echo "$*" >>"$CALLS"
case "$*" in
--scan) printf '/dev/sda -d scsi # /dev/sda, SCSI device\\n/dev/sdb -d scsi # x\\n/dev/sdc -d scsi # x\\n/dev/bus/0 -d megaraid,1 # x\\n' ;;
*/dev/sda) echo '{"disk":"sda"}'; exit 64 ;;
*/dev/sdb) echo '{"smartctl":{"messages":[{"string":"Device is in STANDBY mode, exit(2)"}]}}'; exit 2 ;;
*/dev/sdc) echo '{"smartctl":{"messages":[{"string":"Permission denied"}]}}'; exit 2 ;;
*) echo '{"disk":"raid"}' ;;
esac
`,
    'out/sdb_scsi.json': 'old b',
    'out/sdc_scsi.json': 'old c',
    calls: '',
  })
  chmodSync(join(folder, 'bin/smartctl'), 0o755)
  for (const name of ['sdb', 'sdc']) utimesSync(join(folder, `out/${name}_scsi.json`), 1_000, 1_000)
  const script = join(import.meta.dirname, '../../../installers/files/smart.sh')
  execFileSync('sh', [script, join(folder, 'out')], {
    env: { PATH: `${folder}/bin:${process.env['PATH']}`, CALLS: join(folder, 'calls') },
  })
  const texts = Object.fromEntries(
    readdirSync(join(folder, 'out')).map((name) => [name, readFileSync(join(folder, 'out', name), 'utf8').trim()]),
  )
  expect(texts).toEqual({
    'bus_0_megaraid_1.json': '{"disk":"raid"}',
    'sda_scsi.json': '{"disk":"sda"}',
    'sdb_scsi.json': 'old b',
    'sdc_scsi.json': 'old c',
  })
  const timeOf = (name: string) => statSync(join(folder, `out/${name}_scsi.json`)).mtimeMs
  expect(timeOf('sdb')).toBeGreaterThan(1_000_000_000)
  expect(timeOf('sdc')).toBe(1_000_000)
  const calls = readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n')
  expect(calls[1]).toBe('--json=c -n standby -i -H -A -d auto /dev/sda')
  expect(calls.slice(1).filter((call) => !call.includes('-n standby'))).toEqual([])
})
