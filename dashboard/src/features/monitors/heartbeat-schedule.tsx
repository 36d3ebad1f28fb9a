import { TextField } from '../../components/field.tsx'
import { Panel } from '../../components/page.tsx'
import { Segmented } from '../../components/segmented.tsx'
import { heartbeats } from '../../messages/heartbeats.ts'
import { formOf, type TypedSchedule, withForm } from './heartbeat-input.ts'

const text = heartbeats.schedule

interface Props {
  schedule: TypedSchedule
  /** By path, as `options.schedule.cron`. */
  errors: Readonly<Record<string, string>>
  onChange: (schedule: TypedSchedule) => void
}

/** When the pings of a heartbeat are expected. */
export function HeartbeatSchedule({ schedule, errors, onChange }: Props) {
  const form = formOf(schedule)
  const field = (name: string) => ({
    spellCheck: false,
    autoComplete: 'off',
    value: String(schedule[name] ?? ''),
    error: errors[`options.schedule.${name}`],
    onChange: (event: { target: { value: string } }) => onChange({ ...schedule, [name]: event.target.value }),
  })
  return (
    <Panel title={text.title}>
      <div className="grid gap-4 pt-1">
        <Segmented
          label={text.form}
          value={form}
          options={(['period', 'cron', 'on_calendar'] as const).map((value) => ({ value, label: text.forms[value] }))}
          onChoose={(next) => next !== form && onChange(withForm(schedule, next))}
        />
        <div className="grid gap-4 sm:grid-cols-2">
          {form === 'period' && <TextField label={text.period} hint={text.periodHint} {...field('period_seconds')} />}
          {form === 'cron' && <TextField label={text.cron} hint={text.cronHint} mono {...field('cron')} />}
          {form === 'on_calendar' && (
            <TextField label={text.onCalendar} hint={text.onCalendarHint} mono {...field('on_calendar')} />
          )}
          {form !== 'period' && <TextField label={text.timeZone} {...field('time_zone')} />}
          <TextField label={text.grace} hint={text.graceHint} {...field('grace_seconds')} />
        </div>
      </div>
    </Panel>
  )
}
