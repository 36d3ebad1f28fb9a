import type { Draft } from './draft.ts'

/** How a well-known program that people run themselves is checked over HTTP: without a login, by what it says of its own state. */
export interface AppPreset {
  /** A name that no language changes. */
  name: string
  scheme: 'http' | 'https'
  /** Of the program as it is installed. */
  port: string
  path: string
  assertions: NonNullable<Draft['assertions']>
  /** False where the certificate is one that the program made itself. */
  verifyTls?: false
  /** Whose values a person fills in. */
  headers?: readonly string[]
}

const says = (value: string) => ({ type: 'body', operator: 'contains', value })
const has = (property: string, value: string) => ({ type: 'json_path', operator: 'equals', property, value })
const OK = { type: 'status_code', operator: 'equals', value: 200 }

export const APP_PRESETS: readonly AppPreset[] = [
  { name: 'AdGuard Home', scheme: 'http', port: '80', path: '/login.html', assertions: [OK, says('AdGuard Home')] },
  { name: 'GitLab', scheme: 'https', port: '443', path: '/users/sign_in', assertions: [OK, says('GitLab')] },
  { name: 'Grafana', scheme: 'http', port: '3000', path: '/api/health', assertions: [OK, has('$.database', 'ok')] },
  {
    name: 'Home Assistant',
    scheme: 'http',
    port: '8123',
    path: '/manifest.json',
    assertions: [OK, has('$.name', 'Home Assistant')],
  },
  { name: 'Jellyfin', scheme: 'http', port: '8096', path: '/health', assertions: [OK, says('Healthy')] },
  {
    name: 'Nextcloud',
    scheme: 'https',
    port: '443',
    path: '/status.php',
    assertions: [OK, has('$.installed', 'true'), has('$.maintenance', 'false')],
  },
  { name: 'Pi-hole', scheme: 'http', port: '80', path: '/admin/', assertions: [OK, says('Pi-hole')] },
  { name: 'Plex', scheme: 'http', port: '32400', path: '/identity', assertions: [OK, says('MediaContainer')] },
  { name: 'Proxmox VE', scheme: 'https', port: '8006', path: '/', assertions: [OK, says('Proxmox')], verifyTls: false },
  {
    name: 'RabbitMQ',
    scheme: 'http',
    port: '15672',
    path: '/api/health/checks/alarms',
    assertions: [OK, has('$.status', 'ok')],
    headers: ['Authorization'],
  },
  { name: 'TrueNAS', scheme: 'https', port: '443', path: '/ui/', assertions: [OK, says('TrueNAS')], verifyTls: false },
  { name: 'Vaultwarden', scheme: 'https', port: '443', path: '/alive', assertions: [OK] },
]

/** What a preset fills in. The host that is typed stays, with its scheme and port; without one it is left to be typed before the port. Pure. */
export function draftOf(preset: AppPreset, typedUrl: string): Omit<Draft, 'type'> {
  const { name, scheme, port, path, assertions, verifyTls = true, headers = [] } = preset
  const typed = URL.parse(typedUrl.trim())
  const origin = typed && typed.hostname !== '' ? typed.origin : `${scheme}://:${port}`
  return {
    name,
    url: `${origin}${path}`,
    method: 'GET',
    assertions,
    verifyTls,
    ...(headers.length > 0 && { headers: headers.map((header) => [header, ''] as const) }),
  }
}
