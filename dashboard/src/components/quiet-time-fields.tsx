import type { QuietTime } from '@vedette/shared'
import { viewerZone } from '../lib/time.ts'
import { onCall } from '../messages/on-call.ts'
import { CheckField, TextField } from './field.tsx'
import { ZoneField } from './zone-field.tsx'

const text = onCall.quiet

/** What a form begins with where there is none. */
export const usualQuietTime = (): QuietTime => ({ time_zone: viewerZone(), from: '22:00', to: '07:00', critical_passes: true })

interface Props {
  quiet: QuietTime
  /** By the API's name of the field. */
  errors?: Readonly<Record<string, string | undefined>>
  /** Whose it is: the check box of the critical incidents names them. */
  critical?: string
  onChange: (quiet: QuietTime) => void
}

/** The hours of a quiet time. */
export function QuietTimeFields({ quiet, errors = {}, critical = text.critical, onChange }: Props) {
  const change = (part: Partial<QuietTime>) => onChange({ ...quiet, ...part })
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-3">
        <TextField
          label={text.from}
          type="time"
          value={quiet.from}
          error={errors['from']}
          onChange={({ target }) => change({ from: target.value })}
        />
        <TextField
          label={text.to}
          type="time"
          value={quiet.to}
          error={errors['to']}
          onChange={({ target }) => change({ to: target.value })}
        />
        <ZoneField
          value={quiet.time_zone}
          error={errors['time_zone']}
          onChange={({ target }) => change({ time_zone: target.value })}
        />
      </div>
      <CheckField
        label={critical}
        checked={quiet.critical_passes}
        onChange={({ target }) => change({ critical_passes: target.checked })}
      />
    </>
  )
}
