import { ALL_FIELDS, assertionTypeSpec, entityMetric, isHostState } from '@vedette/shared'
import { encodeId } from '../../../platform/ids.ts'
import { entityFigure, HOST_FIGURES, type Published, slotFigure } from '../export/families.ts'
import { MONITOR_FAMILIES } from '../export/monitor-figures.ts'
import type { StoredRule } from './rules-store.ts'

export interface RuleQuery {
  query: string
  /** How long it must hold, s: 0 where the query says it. */
  durationSeconds: number
}

const SIGNS = { equals: '==', greater_than: '>', less_than: '<' } as const
const WORDS = { equals: 'is', greater_than: 'is above', less_than: 'is below' } as const

/** The condition as PromQL over the series that can be asked for, or in words where there is no such query. Pure. */
export function queryOf(rule: StoredRule): RuleQuery {
  if (rule.expression !== null) return held(rule, rule.expression)
  const found = rule.targetType === 'monitor' ? ofMonitors(rule) : rule.targetType === 'server' ? ofServers(rule) : undefined
  if (!found) return { query: inWords(rule), durationSeconds: rule.forSeconds }
  return { ...found, query: found.query + ofTag(rule) }
}

function inWords({ targetType, metric, operator, value, mount, entityName, forSeconds }: StoredRule): string {
  const over = targetType === 'slo' ? ` over ${forSeconds} s` : ''
  const on = mount === null ? '' : ` on ${mount}`
  const named = entityName === null ? '' : ` of ${entityName}`
  return `${metric}${named}${on}${over} ${WORDS[operator]} ${value}`
}

function ofMonitors(rule: StoredRule): RuleQuery | undefined {
  const { metric, value, forSeconds, operator } = rule
  const { status, duration, certificate, fact } = MONITOR_FAMILIES
  if (metric === 'status') return held(rule, selector(rule, status.name, { status: String(value) }))
  if (typeof value !== 'number') return undefined
  const compare = (figure: string, bound = value): RuleQuery => ({
    query: `${figure} ${SIGNS[operator]} ${bound}`,
    durationSeconds: 0,
  })
  if (metric === 'certificate_days')
    return held(rule, `min by (monitor_id) (${selector(rule, certificate.name)} - time()) / 86400 ${SIGNS[operator]} ${value}`)
  const isTime = metric === 'response_ms'
  if (!isTime && assertionTypeSpec(metric) === undefined) return undefined
  const series = isTime ? selector(rule, duration.name) : selector(rule, fact.name, { fact: metric })
  const bound = isTime ? value / 1_000 : value
  if (forSeconds === 0) return compare(series, bound)
  // The mean of all checks, of all regions together.
  const sum = (how: string) => `sum by (monitor_id) (${how}_over_time(${series}[${forSeconds}s]))`
  return compare(`${sum('sum')} / ${sum('count')}`, bound)
}

function ofServers(rule: StoredRule): RuleQuery | undefined {
  const { metric, value, operator, mount, entityName, forSeconds } = rule
  if (typeof value !== 'number') return undefined
  const compared = (
    { family, labels, factor }: Published,
    more: Record<string, string | Pattern>,
    isMean: boolean,
  ): RuleQuery => {
    const series = selector(rule, family.name, { ...labels, ...more })
    const bound = `${SIGNS[operator]} ${value * factor}`
    if (!isMean || forSeconds === 0) return held(rule, `${series} ${bound}`)
    return { query: `avg_over_time(${series}[${forSeconds}s]) ${bound}`, durationSeconds: 0 }
  }
  if (metric === 'filesystem.percent') {
    const published = slotFigure('mount', 'percent')
    return published && compared(published, mount === null ? {} : { mountpoint: mount }, true)
  }
  const entity = entityMetric(metric)
  if (entity) {
    const published = entityFigure(entity.kind, entity.field)
    return published && compared(published, entityName === null ? {} : { name: anyText(entityName) }, false)
  }
  const field = ALL_FIELDS.find(({ group, name }) => `${group}.${name}` === metric)
  const published = field && HOST_FIGURES.get(field.id)
  return published && compared(published, {}, !isHostState(metric))
}

const held = ({ forSeconds }: StoredRule, query: string): RuleQuery => ({ query, durationSeconds: forSeconds })

interface Pattern {
  pattern: string
}

/** A name in which * stands for any text. */
const anyText = (name: string): string | Pattern =>
  name.includes('*') ? { pattern: name.split('*').map(literally).join('.*') } : name

const literally = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')

/** `name{label="text"}` of the target of the rule, where that is one. */
function selector(
  { targetType, targetId }: StoredRule,
  name: string,
  labels: Readonly<Record<string, string | Pattern>> = {},
): string {
  const own = targetId === null || targetType === 'slo' ? {} : { [`${targetType}_id`]: encodeId(targetType, targetId) }
  const written = Object.entries({ ...own, ...labels }).map(([label, text]) =>
    typeof text === 'string' ? `${label}=${JSON.stringify(text)}` : `${label}=~${JSON.stringify(text.pattern)}`,
  )
  return written.length === 0 ? name : `${name}{${written.join(',')}}`
}

function ofTag({ targetType, targetTag }: StoredRule): string {
  if (targetTag === null) return ''
  const [id, info] = targetType === 'monitor' ? ['monitor_id', MONITOR_FAMILIES.info.name] : ['server_id', 'vedette_host_info']
  return ` and on (${id}) ${info}{tags=~${JSON.stringify(`.*,${literally(targetTag)},.*`)}}`
}
