import { expect, test } from 'vitest'
import { toLaunchdUnits } from './launchd.ts'

/** The form of `launchctl print system`, shortened by hand; no macOS was at hand. */
const PRINTED = `system = {
\ttype = system
\thandle = 0
\tactive count = 843

\tservices = {
\t       0      - \tcom.apple.lskdd
\t     345      - \tcom.apple.audio.coreaudiod
\t       0     78 \tcom.example.backup
\t     512      0 \tcom.example.web
\t       0   (pe) \tcom.example.on-demand
\t}

\tunmanaged processes = {
\t     900      0 \tcom.example.not-a-service
\t}
}
`

test('jobs of launchd that match are units: whether each runs, and how it ended', () => {
  expect(toLaunchdUnits(PRINTED, ['com.example.*', 'com.apple.audio.coreaudiod', 'org.missing'])).toEqual([
    { kind: 'unit', name: 'com.apple.audio.coreaudiod', values: { running: 1, failed: 0 }, attributes: { state: 'running' } },
    {
      kind: 'unit',
      name: 'com.example.backup',
      values: { running: 0, failed: 1 },
      attributes: { state: 'failed', last_result: '78' },
    },
    { kind: 'unit', name: 'com.example.web', values: { running: 1, failed: 0 }, attributes: { state: 'running' } },
    { kind: 'unit', name: 'com.example.on-demand', values: { running: 0, failed: 0 }, attributes: { state: 'stopped' } },
    { kind: 'unit', name: 'org.missing', values: { running: 0 }, attributes: { load_state: 'not-found' } },
  ])
})

test('an output of another form lists nothing but what is missing', () => {
  expect(toLaunchdUnits('Could not find domain', ['com.*'])).toEqual([])
})
