import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'

/** Pages by the type of what they show. */
const PAGES: Readonly<Record<string, string>> = {
  monitor: '/monitors/',
  server: '/servers/',
  server_settings: '/servers/',
  incident: '/incidents/',
  alert_rule: '/alerts/rules/',
  channel: '/alerts/channels/',
  alert_source: '/alerts/sources/',
  certificate: '/certificates/',
  change_set: '/changes/',
  escalation_policy: '/alerts/policies/',
  schedule: '/alerts/on-call/',
  maintenance_window: '/alerts/maintenance/',
  slo: '/slos/',
  status_page: '/status-pages/',
  identity_provider: '/settings/organization',
  user: '/settings/members',
  api_key: '/settings/keys',
}

export const hasPage = (type: string): boolean => type in PAGES

/** To the page of a resource, of a type that has one. */
export function ResourceLink({ type, id, children }: { type: string; id: string; children: ReactNode }) {
  const page = PAGES[type] ?? ''
  return (
    <Link to={page.endsWith('/') ? page + id : page} className="font-medium text-accent [overflow-wrap:anywhere] hover:underline">
      <bdi>{children}</bdi>
    </Link>
  )
}
