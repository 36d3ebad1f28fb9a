import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { HOME_FOLDER } from '../../platform/home-folder.ts'
import type { Task } from './command.ts'
import { installService, readService, type SystemdHost, uninstallService } from './systemd.ts'
import { checkUnitPaths, fillUnit, ownPaths } from './systemd-unit.ts'

const TEMPLATE = new URL('installers/units/vedette.service', HOME_FOLDER)
const SETTINGS = new URL('installers/files/vedette.env', HOME_FOLDER)

export const serviceInstall: Task = {
  name: 'service install',
  summary: 'install a systemd unit that runs "vedette start", and start it',
  options: {
    'dry-run': { type: 'boolean', help: 'only print the unit' },
    'no-start': { type: 'boolean', help: 'do not start the service' },
  },
  run: async ({ options }) => {
    const paths = ownPaths()
    checkUnitPaths(paths)
    const unit = fillUnit(readFileSync(TEMPLATE, 'utf8'), paths)
    if (options['dry-run'] === true) return { json: { unit, unit_file: null }, text: unit.trimEnd() }
    const files = { unit, settings: readFileSync(SETTINGS, 'utf8'), program: paths.program }
    const isStarted = options['no-start'] !== true
    const path = installService(thisHost(), files, isStarted)
    const next = isStarted ? 'started; log: journalctl -u vedette' : 'start it with: systemctl enable --now vedette'
    return { json: { unit, unit_file: path, is_started: isStarted }, text: `wrote ${path}; ${next}` }
  },
}

export const serviceUninstall: Task = {
  name: 'service uninstall',
  summary: 'stop the service and remove its unit; data, settings and user stay',
  run: async () => {
    const removed = uninstallService(thisHost())
    return { json: { removed }, text: removed ? 'stopped and removed; data and settings stay' : 'there is no service' }
  },
}

export const serviceStatus: Task = {
  name: 'service status',
  summary: 'show whether the service is installed, active and enabled',
  run: async () => {
    const state = readService(thisHost(), fillUnit(readFileSync(TEMPLATE, 'utf8'), ownPaths()))
    const { unitFile, isCurrent, active, enabled } = state
    const json = { unit_file: unitFile ?? null, is_current: isCurrent ?? null, active, enabled }
    const other = isCurrent === false ? '; not the unit of this version: "vedette service install" updates it' : ''
    return { json, text: `${unitFile ?? 'no unit'}: ${active}, ${enabled}${other}` }
  },
}

export function thisHost(): SystemdHost {
  return {
    root: '/',
    isAdmin: process.getuid?.() === 0,
    run(program, args) {
      const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8', timeout: 60_000 })
      return { status, output: error?.message ?? stdout + stderr }
    },
  }
}
