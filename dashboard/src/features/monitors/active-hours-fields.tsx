import { FoldedPanel } from '../../components/page.tsx'
import { createPart } from '../../lib/create-part.tsx'
import { errorsBelow } from '../../lib/rows.ts'
import { activeHours as text } from '../../messages/active-hours.ts'
import type { ActiveHoursInput } from './input.ts'

const { Part: HoursFields } = createPart(() => import('../../components/hours-fields.tsx'))

interface Props {
  hours: readonly ActiveHoursInput[]
  /** By path of the API. */
  errors: Readonly<Record<string, string>>
  onChange: (hours: ActiveHoursInput[]) => void
}

/** When a monitor is monitored: folded while it always is. */
export default function ActiveHoursFields({ hours, errors, onChange }: Props) {
  return (
    <FoldedPanel
      title={text.title}
      isLazy
      isFilled={hours.length > 0}
      hasFault={Object.keys(errors).some((path) => path.startsWith('active_hours'))}
    >
      <HoursFields
        label={text.label}
        hint={text.hint}
        hours={hours}
        hasZones
        errors={errorsBelow(errors, 'active_hours.')}
        onChange={(changed) => onChange(changed.map((one) => ({ ...one, zone: one.zone ?? '' })))}
      />
    </FoldedPanel>
  )
}
