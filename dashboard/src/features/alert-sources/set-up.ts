import type { AlertSourceType } from '@vedette/shared/tables'

/** What is entered at the sender, line by line, from the address of a source with its token. Pure. */
export function setUpLines(type: AlertSourceType, address: string): string[] {
  const { origin, host, protocol, pathname } = new URL(address)
  const token = pathname.split('/').at(-1) ?? ''
  const path = pathname.slice(0, pathname.length - token.length)
  const ofType: Partial<Record<AlertSourceType, string[]>> = {
    alertmanager: ['receivers:', '  - name: vedette', '    webhook_configs:', `      - url: ${address}`],
    alertmanager_api: [
      'alerting:',
      '  alertmanagers:',
      `    - scheme: ${protocol.slice(0, -1)}`,
      `      path_prefix: ${path}alertmanager/${token}`,
      '      static_configs:',
      `        - targets: ['${host}']`,
    ],
    pagerduty_v2: [`${origin}${path}pagerduty/${token}/v2/enqueue`],
    opsgenie: [`${origin}${path}opsgenie/${token}`],
    email: [`alerts+${token}@…`],
    generic: [
      `curl -H 'Content-Type: application/json' \\`,
      `  -d '{"title":"Disk full","severity":"critical"}' \\`,
      `  ${address}`,
    ],
  }
  return ofType[type] ?? [address]
}
