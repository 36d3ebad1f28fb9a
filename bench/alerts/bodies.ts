/** How the body of the webhook of Alertmanager is made from alerts. */
export interface SentAlerts {
  /** In the names of the hosts: alerts of another set are others. */
  set: string
  count: number
  status?: 'firing' | 'resolved'
  /** When they end unless they are sent again, as Prometheus says it; none without it. */
  endsAt?: Date | undefined
}

const STARTS_AT = new Date().toISOString()

/** The body of a post; 5,000 alerts have just less than 1 MiB. */
export const bodyOf = ({ set, count, status = 'firing', endsAt }: SentAlerts): string =>
  JSON.stringify({
    alerts: Array.from({ length: count }, (_, index) => ({
      status,
      labels: { alertname: 'Disk', instance: `db-${set}-${index}`, severity: index % 2 === 0 ? 'critical' : 'warning' },
      annotations: { summary: 'disk full' },
      ...(endsAt ? { endsAt: endsAt.toISOString() } : { startsAt: STARTS_AT }),
    })),
  })
