import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Task } from './command.ts'
import { installService, readService, type SystemdHost, uninstallService } from './systemd.ts'
import { checkPlaces, fillUnit, type UnitPlaces } from './unit.ts'

// In a release as in the sources.
const TEMPLATE = new URL('../../../installers/units/vedette.service', import.meta.url)
const SETTINGS = new URL('../../../installers/files/vedette.env', import.meta.url)
const HOME = fileURLToPath(new URL('../../../', import.meta.url))

export const serviceInstall: Task = {
  name: 'service install',
  summary: 'let systemd run "vedette start" from here, from now on and at each start of the host',
  options: {
    'dry-run': { type: 'boolean', help: 'print the unit, change nothing' },
    'no-start': { type: 'boolean', help: 'only write the unit' },
  },
  run: async ({ options }) => {
    const places = placesOf(HOME)
    checkPlaces(places)
    const unit = fillUnit(readFileSync(TEMPLATE, 'utf8'), places)
    if (options['dry-run'] === true) return { json: { unit, unit_file: null }, text: unit.trimEnd() }
    const files = { unit, settings: readFileSync(SETTINGS, 'utf8'), program: places.program }
    const isStarted = options['no-start'] !== true
    const path = installService(thisHost(), files, isStarted)
    const next = isStarted ? 'started; its log: journalctl -u vedette' : 'not started: systemctl enable --now vedette'
    return { json: { unit, unit_file: path, is_started: isStarted }, text: `${path} is written, ${next}` }
  },
}

export const serviceUninstall: Task = {
  name: 'service uninstall',
  summary: 'stop that service and remove its unit; data, settings and user stay',
  run: async () => {
    const removed = uninstallService(thisHost())
    return { json: { removed }, text: removed ? 'stopped and removed; data and settings stay' : 'there was no such service' }
  },
}

export const serviceStatus: Task = {
  name: 'service status',
  summary: 'whether systemd has the service, runs it, and starts it with the host',
  run: async () => {
    const state = readService(thisHost(), fillUnit(readFileSync(TEMPLATE, 'utf8'), placesOf(HOME)))
    const { unitFile, isCurrent, active, enabled } = state
    const json = { unit_file: unitFile ?? null, is_current: isCurrent ?? null, active, enabled }
    const other = isCurrent === false ? '; not the unit of this Vedette: "vedette service install" writes it anew' : ''
    return { json, text: `${unitFile ?? 'no unit'}: ${active}, ${enabled}${other}` }
  },
}

/** Of a release its own script, which brings its Node; of a clone what runs now. */
function placesOf(home: string): UnitPlaces {
  const script = `${home}bin/vedette`
  if (existsSync(script)) return { program: [script], docs: `${home}share` }
  return { program: [process.execPath, ...process.execArgv, process.argv[1] ?? ''], docs: `${home}docs` }
}

function thisHost(): SystemdHost {
  return {
    root: '/',
    isAdmin: process.getuid?.() === 0,
    run(program, args) {
      const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8', timeout: 60_000 })
      return { status, output: error?.message ?? stdout + stderr }
    },
  }
}
