import { loadTls } from '../listen.ts'
import { type EffectiveSetting, effectiveSettings, type Settings, SettingsError } from '../settings.ts'
import type { Task } from './command.ts'
import { readSettings } from './database.ts'

export const configCheck: Task = {
  name: 'config check',
  summary: 'tell every fault of the settings (exit code 2), else what they are, secrets masked',
  run: async (_call, world) => {
    checkFiles(readSettings(world))
    const settings = effectiveSettings(world.environment, world.defaultDataDir)
    const json = Object.fromEntries(
      Object.entries(settings).map(([name, { value, isDefault }]) => [name, { value, is_default: isDefault }]),
    )
    return { json: { settings: json }, text: Object.entries(settings).map(toLine).join('\n') }
  },
}

/** What the settings name must be there to be read. */
function checkFiles(settings: Settings): void {
  try {
    loadTls(settings)
  } catch (error) {
    throw new SettingsError([`VEDETTE_TLS_CERT_FILE, VEDETTE_TLS_KEY_FILE: ${(error as Error).message}`])
  }
}

function toLine([name, { value, isDefault }]: [string, EffectiveSetting]): string {
  return `${name}=${value ?? ''}${isDefault ? '  (default)' : ''}`
}
