import { loadTls } from '../startup/index.ts'
import { type EffectiveSetting, effectiveSettings, type Settings, SettingsError } from '../settings/index.ts'
import type { Task } from './command.ts'
import { readSettings } from './database.ts'

export const configCheck: Task = {
  name: 'config check',
  summary: 'list every invalid setting (exit code 2), or all settings with their secrets masked',
  run: async (_call, context) => {
    checkFiles(readSettings(context))
    const settings = effectiveSettings(context.environment, context.defaultDataDir)
    const json = Object.fromEntries(
      Object.entries(settings).map(([name, { value, isDefault }]) => [name, { value, is_default: isDefault }]),
    )
    return { json: { settings: json }, text: Object.entries(settings).map(toLine).join('\n') }
  },
}

/** The files that the settings name must be readable. */
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
