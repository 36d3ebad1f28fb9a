import { type ConfigurationKind, type IdKind, referred } from '@vedette/shared'
import type { TSchema } from 'typebox'
import { providerResource } from '../../access/identity-providers/index.ts'
import { sourceResource } from '../../alerting/alert-sources/index.ts'
import { ruleResource, windowResource } from '../../alerting/alerts/index.ts'
import { serverResource } from '../../hosts/servers/index.ts'
import { monitorResource } from '../../monitoring/monitors/index.ts'
import { sloResource } from '../../monitoring/slos/index.ts'
import { policyResource } from '../../notifying/escalation/index.ts'
import { channelResource } from '../../notifying/notifications/index.ts'
import { scheduleResource } from '../../notifying/on-call/index.ts'
import { pageResource } from '../../pages/status-pages/index.ts'

// What follows from how the resources of the configuration are declared.

interface Declared {
  kind: IdKind
  schemas: { create?: TSchema; patch: TSchema }
  configuration?: { kind: ConfigurationKind }
}

const DECLARED: readonly Declared[] = [
  channelResource,
  scheduleResource,
  policyResource,
  providerResource,
  serverResource,
  monitorResource,
  ruleResource,
  sloResource,
  sourceResource,
  windowResource,
  pageResource,
]

/** The kind of ids of a kind of resource. */
export const ID_KINDS = Object.fromEntries(
  DECLARED.flatMap(({ kind, configuration }) => (configuration ? [[configuration.kind, kind]] : [])),
) as Record<ConfigurationKind, IdKind>

/** The fields of a body that are lists of which nothing may be there twice. */
function setsIn({ create, patch }: Declared['schemas']): string[] {
  const { properties } = (create ?? patch) as unknown as { properties: Record<string, object> }
  return Object.entries(properties).flatMap(([name, field]) => {
    const schema = '$ref' in field ? [...referred(field)][0] : field
    return schema && 'uniqueItems' in schema ? [name] : []
  })
}

/** Fields of specs whose order has no meaning, such as tags. Lists within lists are compared as they are. */
export const UNORDERED: ReadonlySet<string> = new Set(DECLARED.flatMap(({ schemas }) => setsIn(schemas)))
