import type { AlertSourceType } from '@vedette/shared/tables'

/** What is entered at the sender, line by line, from the address of a source with its token. Pure. */
export function setUpLines(type: AlertSourceType, address: string): string[] {
  const { origin, host, protocol, pathname } = new URL(address)
  const token = pathname.split('/').at(-1) ?? ''
  const path = pathname.slice(0, pathname.length - token.length)
  switch (type) {
    case 'alertmanager':
      return ['receivers:', '  - name: vedette', '    webhook_configs:', `      - url: ${address}`]
    case 'alertmanager_api':
      return [
        'alerting:',
        '  alertmanagers:',
        `    - scheme: ${protocol.slice(0, -1)}`,
        `      path_prefix: ${path}alertmanager/${token}`,
        '      static_configs:',
        `        - targets: ['${host}']`,
      ]
    case 'pagerduty_v2':
      return [`${origin}${path}pagerduty/${token}/v2/enqueue`]
    case 'opsgenie':
      return [`${origin}${path}opsgenie/${token}`]
    case 'email':
      return [`alerts+${token}@…`]
    case 'generic':
      return [
        `curl -H 'Content-Type: application/json' \\`,
        `  -d '{"title":"Disk full","severity":"critical"}' \\`,
        `  ${address}`,
      ]
    default:
      return [address]
  }
}
