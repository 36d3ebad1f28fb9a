import type { AlertSourceType } from '@vedette/shared/tables'

/** What is entered at the sender, line by line, from the address of a source with its token. Pure. */
export function setUpLines(type: AlertSourceType, address: string): string[] {
  if (type === 'email') return [address]
  const { host, protocol, pathname } = new URL(address)
  const ofType: Partial<Record<AlertSourceType, string[]>> = {
    alertmanager: ['receivers:', '  - name: vedette', '    webhook_configs:', `      - url: ${address}`],
    alertmanager_api: [
      'alerting:',
      '  alertmanagers:',
      `    - scheme: ${protocol.slice(0, -1)}`,
      `      path_prefix: ${pathname}`,
      '      static_configs:',
      `        - targets: ['${host}']`,
    ],
    pagerduty_v2: [`${address}/v2/enqueue`],
    generic: [
      `curl -H 'Content-Type: application/json' \\`,
      `  -d '{"title":"Disk full","severity":"critical"}' \\`,
      `  ${address}`,
    ],
  }
  return ofType[type] ?? [address]
}
