import { common } from './en/common.ts'
import { events } from './en/events.ts'
import { health } from './en/health.ts'
import { incidents } from './en/incidents.ts'
import { monitors } from './en/monitors.ts'
import { overview } from './en/overview.ts'
import { servers } from './en/servers.ts'
import { settings } from './en/settings.ts'
import { signIn } from './en/sign-in.ts'

export const en = {
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
