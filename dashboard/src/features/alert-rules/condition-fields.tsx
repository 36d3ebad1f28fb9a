import {
  ALERT_METRICS,
  ALERT_OPERATORS,
  ALERT_STATUSES,
  ENTITY_KIND_NAMES,
  entityMetric,
  EVERY_SECONDS,
  isHostState,
  MAX_EXPRESSION_LENGTH,
  PROMQL_METRIC,
} from '@vedette/shared/tables'
import { FieldError, SelectField, TextField } from '../../components/field.tsx'
import { TextArea } from '../../components/text-area.tsx'
import { duration } from '../../lib/format.ts'
import { statusName } from '../../lib/status.ts'
import type { FormState } from '../../lib/use-form.ts'
import { findings } from '../../messages/findings.ts'
import { alerts } from '../../messages/alerts.ts'
import { messages } from '../../messages/index.ts'
import { metricLabel } from '../../lib/condition-text.ts'
import { fieldName, kindTitle } from '../../lib/entity-texts.ts'
import { entities } from '../../messages/entities.ts'
import { ruleExpression } from '../../messages/rule-expression.ts'
import {
  hasRecovery,
  isExpression,
  isFilesystem,
  isFinding,
  isFlag,
  isStatus,
  type RuleInput,
  sourceOf,
  withMetric,
  withSource,
} from './input.ts'

const { operators, rules: text } = alerts
const EVERY = [EVERY_SECONDS.minimum, EVERY_SECONDS.default, 120, EVERY_SECONDS.maximum]
const DURATIONS = [0, 60, 120, 300, 600, 900, 1_800, 3_600, 21_600, 86_400]

export function ConditionFields({ form }: { form: FormState<RuleInput> }) {
  const { input, change, field } = form
  const { type } = input.target
  // A value that was set over the API is offered as well.
  const durations = [...new Set([...DURATIONS, Number(input.forSeconds)])].toSorted((a, b) => a - b)
  const source = sourceOf(input)
  const metrics = ALERT_METRICS[type].filter((metric) => sourceOf({ ...input, metric }) === source)
  const hasName = source !== 'host' && source !== 'health'
  const nameHint = source === 'container' ? entities.rule.containerHint : entities.rule.namedHint
  return (
    <div className="grid gap-4">
      {type === 'server' && (
        <div className="grid gap-4 sm:grid-cols-2">
          <SelectField
            label={entities.rule.source}
            value={source}
            onChange={(event) => change(withSource(input, event.target.value))}
          >
            <option value="host">{entities.rule.host}</option>
            <option value="health">{findings.title}</option>
            {ENTITY_KIND_NAMES.map((kind) => (
              <option key={kind} value={kind}>
                {kindTitle(kind)}
              </option>
            ))}
          </SelectField>
          {hasName && <TextField label={entities.rule.named} hint={nameHint} {...field('entityName', 'condition.name')} />}
        </div>
      )}
      <div className="grid gap-4 sm:grid-cols-[minmax(0,2fr)_minmax(0,1fr)_minmax(0,1fr)]">
        <SelectField
          label={text.metric}
          {...field('metric', 'condition.metric')}
          onChange={(event) => change(withMetric(input, event.target.value))}
        >
          {metrics.map((metric) => (
            <option key={metric} value={metric}>
              {!hasName ? metricLabel(type, metric).name : fieldName(entityMetric(metric)?.field ?? metric)}
            </option>
          ))}
          {source === 'host' && <option value={PROMQL_METRIC}>{ruleExpression.metric}</option>}
        </SelectField>
        {isFinding(input) || isExpression(input) ? null : <Threshold form={form} />}
      </div>
      {isExpression(input) && <Expression form={form} />}
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label={text.for}
          hint={
            hasName
              ? entities.rule.forHint
              : isStatus(input) || isExpression(input) || isFinding(input) || isHostState(input.metric)
                ? undefined
                : text.forHint
          }
          {...field('forSeconds', 'for_seconds')}
        >
          {durations.map((seconds) => (
            <option key={seconds} value={seconds}>
              {seconds === 0 ? text.immediately : duration(seconds)}
            </option>
          ))}
        </SelectField>
        {hasRecovery(input) && (
          <TextField
            label={text.recoversAt}
            hint={text.recoversAtHint}
            type="number"
            step="any"
            {...field('recoversAt', 'clear_value')}
          />
        )}
        {isFilesystem(input) && (
          <TextField label={text.mount} hint={text.mountHint} mono placeholder="/var" {...field('mount', 'condition.mount')} />
        )}
      </div>
    </div>
  )
}

function Expression({ form: { input, field } }: { form: FormState<RuleInput> }) {
  const intervals = [...new Set([...EVERY, Number(input.everySeconds)])].toSorted((a, b) => a - b)
  return (
    <div className="grid gap-4">
      <TextArea
        label={ruleExpression.field}
        hint={ruleExpression.hint}
        mono
        maxLength={MAX_EXPRESSION_LENGTH}
        spellCheck={false}
        placeholder="vedette_cpu_percent > 90"
        {...field('expression', 'condition.expression')}
      />
      {input.lastError !== '' && <FieldError id="last-error" error={ruleExpression.failed(input.lastError)} />}
      <SelectField className="max-w-64" label={ruleExpression.every} {...field('everySeconds', 'condition.every_seconds')}>
        {intervals.map((seconds) => (
          <option key={seconds} value={seconds}>
            {duration(seconds)}
          </option>
        ))}
      </SelectField>
    </div>
  )
}

/** What the metric is compared with. */
function Threshold({ form: { input, field } }: { form: FormState<RuleInput> }) {
  const { type } = input.target
  const { unit } = metricLabel(type, input.metric)
  if (isStatus(input))
    return (
      <SelectField label={text.threshold} className="sm:col-span-2" {...field('value', 'condition.value')}>
        {ALERT_STATUSES[type].map((status) => (
          <option key={status} value={status}>
            {statusName(status)}
          </option>
        ))}
      </SelectField>
    )
  return (
    <>
      <SelectField label={text.operator} {...field('operator', 'condition.operator')}>
        {ALERT_OPERATORS.map((operator) => (
          <option key={operator} value={operator}>
            {operators[operator] ?? operator}
          </option>
        ))}
      </SelectField>
      {isFlag(input) ? (
        <SelectField label={text.threshold} {...field('value', 'condition.value')}>
          <option value="1">{messages.yes}</option>
          <option value="0">{messages.no}</option>
        </SelectField>
      ) : (
        <TextField
          label={unit === '' ? text.threshold : text.thresholdIn(unit)}
          type="number"
          step="any"
          {...field('value', 'condition.value')}
        />
      )}
    </>
  )
}
