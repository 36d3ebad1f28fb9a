import { CalendarClock, ChevronLeft, ChevronRight, Link2, Radio } from './icons.tsx'
import { useState } from 'react'
import { PERIODS, type Range, type RangeSearch, isRange, boundsOf, shiftedRange } from '../lib/range.ts'
import { dayAndClock, viewerZone } from '../lib/time.ts'
import { instantAt, localTimeAt } from '../lib/time-zone.ts'
import { useForm } from '../lib/use-form.ts'
import { messages } from '../messages/index.ts'
import { Button, IconButton } from './button.tsx'
import { CopyButton } from './copy.tsx'
import { Dialog } from './dialog.tsx'
import { TextField } from './field.tsx'
import { Form } from './form.tsx'
import { Segmented } from './segmented.tsx'

const text = messages.range

interface Props {
  range: Range
  onChange: (search: RangeSearch) => void
  /** Returns to the default period. */
  onReset: () => void
}

/** The time range of a page: periods that end now, the range before and after, and any two times. */
export function RangePicker({ range, onChange, onReset }: Props) {
  const [isOpen, setOpen] = useState(false)
  const isLive = 'period' in range
  const shift = (direction: -1 | 1) => onChange(shiftedRange(range, direction, Date.now()))
  return (
    <div className="flex min-w-0 max-w-full flex-wrap items-center gap-1.5">
      {!isLive && (
        <>
          <Button variant="quiet" small onClick={() => setOpen(true)} className="text-accent">
            {dayAndClock(range.from)} – {dayAndClock(range.to)}
          </Button>
          <Button small onClick={onReset}>
            <Radio size={14} aria-hidden="true" />
            {text.live}
          </Button>
        </>
      )}
      <Segmented
        label={text.label}
        value={isLive ? range.period : undefined}
        options={PERIODS.map((value) => ({ value, label: value }))}
        onChoose={(period) => onChange({ range: period })}
      />
      <span className="flex">
        <IconButton label={text.before} onClick={() => shift(-1)}>
          <ChevronLeft size={17} />
        </IconButton>
        <IconButton label={text.after} onClick={() => shift(1)} disabled={isLive} className="disabled:opacity-40">
          <ChevronRight size={17} />
        </IconButton>
        <CopyButton value={() => linkTo(range)} label={text.link} Icon={Link2} />
        <IconButton label={text.choose} onClick={() => setOpen(true)}>
          <CalendarClock size={17} />
        </IconButton>
      </span>
      {isOpen && <ChooseTimes range={range} onChange={onChange} onClose={() => setOpen(false)} />}
    </div>
  )
}

/** The page at exactly these times, whenever it is opened. */
function linkTo(range: Range): string {
  const url = new URL(location.href)
  const { from, to } = boundsOf(range, Date.now())
  url.searchParams.delete('range')
  url.searchParams.set('from', String(from))
  url.searchParams.set('to', String(to))
  return url.href
}

function ChooseTimes({ range, onChange, onClose }: Omit<Props, 'onReset'> & { onClose: () => void }) {
  const zone = viewerZone()
  const { from, to } = boundsOf(range, Date.now())
  const form = useForm({ from: localTimeAt(from, zone), to: localTimeAt(to, zone) }, async (input) => {
    const [first, last] = [instantAt(input.from, zone), instantAt(input.to, zone)]
    if (first === undefined || last === undefined) throw new Error(text.noSuchTime)
    if (!isRange(first, last)) throw new Error(text.bounds)
    onChange({ from: first, to: last })
    onClose()
  })
  const problem = form.error instanceof Error ? form.error.message : undefined
  return (
    <Dialog isOpen onClose={onClose} title={text.choose} description={text.zone(zone)}>
      <Form form={{ ...form, error: problem }} action={text.show} onCancel={onClose}>
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField label={text.from} type="datetime-local" required {...form.field('from')} />
          <TextField label={text.to} type="datetime-local" required {...form.field('to')} />
        </div>
      </Form>
    </Dialog>
  )
}
