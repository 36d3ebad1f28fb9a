import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { CalendarClock } from '../../components/icons.tsx'
import { Segmented } from '../../components/segmented.tsx'
import { SingleTarget } from '../../components/target-fields.tsx'
import { useViewer } from '../../lib/api.ts'
import { tagsOf } from '../../lib/state-groups.ts'
import { statesQuery } from '../../lib/states.ts'
import { fullDate, viewerZone } from '../../lib/time.ts'
import { useForm } from '../../lib/use-form.ts'
import { reports } from '../../messages/reports.ts'
import { countDays, type Days, daysOf, MAX_DAYS } from './days.ts'
import { allPagesQuery } from './queries.ts'
import { REPORT_PERIODS, REPORT_SUBJECTS, type ReportSearch } from './search.ts'

const text = reports

export function ReportFilters({ search }: { search: ReportSearch }) {
  const navigate = useNavigate({ from: '/reports' })
  const { period, from, to, of, what } = search
  const subject = { ...(of && { of }), ...(what !== undefined && { what }) }
  const choose = (chosen: string | undefined) =>
    void navigate({ search: { ...search, what: chosen === '' ? undefined : chosen } as ReportSearch })
  const show = (time: Pick<ReportSearch, 'period' | 'from' | 'to'>) => void navigate({ search: { ...time, ...subject } })
  return (
    <div className="mb-4 grid grid-cols-[minmax(0,1fr)] gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <Segmented
          label={text.period}
          value={from === undefined ? (period ?? 'last_month') : undefined}
          options={REPORT_PERIODS.map((value) => ({ value, label: text.periods[value] }))}
          onChoose={(chosen) => show({ period: chosen })}
        />
        <OtherDays
          chosen={from !== undefined && to !== undefined ? { from, to } : undefined}
          days={daysOf(search, Date.now(), viewerZone())}
          onChoose={show}
        />
      </div>
      <div className="flex flex-wrap items-center gap-2">
        <Segmented
          label={text.of}
          value={of ?? 'all'}
          options={(['all', ...REPORT_SUBJECTS] as const).map((value) => ({ value, label: text.subjects[value] }))}
          onChoose={(chosen) => {
            const { of: _of, what: _what, ...time } = search
            void navigate({ search: chosen === 'all' ? time : { ...time, of: chosen } })
          }}
        />
        {of === 'tag' && <TagChoice value={what} onChoose={choose} />}
        {of === 'page' && <PageChoice value={what} onChoose={choose} />}
        {of === 'monitor' && <SingleTarget type="monitor" id={what} onChoose={choose} />}
      </div>
    </div>
  )
}

interface OtherDaysProps {
  /** The days in place of a period. */
  chosen: Days | undefined
  /** The days of the report. */
  days: Days
  onChoose: (days: Days) => void
}

function OtherDays({ chosen, days, onChoose }: OtherDaysProps) {
  const [isOpen, setOpen] = useState(false)
  const name = (day: string) => fullDate(Date.parse(day), 'UTC')
  return (
    <>
      <Button small variant={chosen ? 'quiet' : 'plain'} className={chosen ? 'text-accent' : ''} onClick={() => setOpen(true)}>
        <CalendarClock size={15} aria-hidden="true" />
        {chosen ? [...new Set([chosen.from, chosen.to])].map(name).join(' – ') : text.otherDays}
      </Button>
      {isOpen && <ChooseDays days={days} onChoose={onChoose} onClose={() => setOpen(false)} />}
    </>
  )
}

function ChooseDays({ days, onChoose, onClose }: Omit<OtherDaysProps, 'chosen'> & { onClose: () => void }) {
  const form = useForm(
    days,
    async (input) => {
      onChoose(input)
      onClose()
    },
    { missing: faultsOf },
  )
  return (
    <Dialog isOpen onClose={onClose} title={text.otherDays}>
      <Form form={form} action={text.show} onCancel={onClose}>
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField label={text.first} type="date" required {...form.field('from')} />
          <TextField label={text.last} type="date" required {...form.field('to')} />
        </div>
      </Form>
    </Dialog>
  )
}

function faultsOf(days: Days) {
  if (days.from === '' || days.to === '') return []
  if (days.to < days.from) return [{ path: 'to', message: text.order }]
  return countDays(days) > MAX_DAYS ? [{ path: 'to', message: text.tooLong(MAX_DAYS) }] : []
}

interface ChoiceProps {
  value: string | undefined
  onChoose: (value: string) => void
}

/** The tags of monitors. */
function TagChoice(props: ChoiceProps) {
  const { data } = useQuery(statesQuery(useViewer()))
  const tags = data ? tagsOf({ ...data, servers: [] }) : []
  return <Choice {...props} label={text.choose.tag} options={tags.map((tag) => [tag, tag])} />
}

function PageChoice(props: ChoiceProps) {
  const { data = [] } = useQuery(allPagesQuery(useViewer()))
  return <Choice {...props} label={text.choose.page} options={data.map(({ id, name }) => [id, name])} />
}

interface OptionsProps extends ChoiceProps {
  label: string
  options: readonly (readonly [value: string, name: string])[]
}

function Choice({ label, value = '', options, onChoose }: OptionsProps) {
  const isKnown = value === '' || options.some(([each]) => each === value)
  return (
    <select
      aria-label={label}
      value={value}
      onChange={({ target }) => onChoose(target.value)}
      className="field min-h-9 w-auto max-w-full py-1"
    >
      <option value="">{label}</option>
      {/* From an old link, or before the options are there. */}
      {!isKnown && <option value={value}>{value}</option>}
      {options.map(([each, name]) => (
        <option key={each} value={each}>
          {name}
        </option>
      ))}
    </select>
  )
}
