import { common } from './de/common.ts'
import { events } from './de/events.ts'
import { health } from './de/health.ts'
import { incidents } from './de/incidents.ts'
import { monitors } from './de/monitors.ts'
import { overview } from './de/overview.ts'
import { servers } from './de/servers.ts'
import { settings } from './de/settings.ts'
import { signIn } from './de/sign-in.ts'
import type { en } from './en.ts'

export const de: typeof en = {
  ...common,
  signIn,
  overview,
  servers,
  monitors,
  incidents,
  settings,
  events,
  health,
}
