import { Button } from '../../../components/button.tsx'
import { CheckField, FormFault, SelectField, TextField } from '../../../components/field.tsx'
import { Panel } from '../../../components/page.tsx'
import { fieldFaults, sentenceOf } from '../../../lib/errors.ts'
import { duration } from '../../../lib/format.ts'
import { useDraft } from '../../../lib/use-draft.ts'
import { text } from '../../../messages/index.ts'
import { TargetFields } from '../target-fields.tsx'
import { ChannelChoice } from './channel-choice.tsx'
import { ConditionFields } from './condition-fields.tsx'
import { type RuleDraft, SEVERITIES, withTarget } from './draft.ts'
import { Preview } from './preview.tsx'

const words = text.alerts.rules
const REPEATS = [900, 3_600, 14_400, 43_200, 86_400]

interface Props {
  draft: RuleDraft
  action: string
  onSave: (draft: RuleDraft) => Promise<void>
}

/** A rule, and beside it what it would have said. */
export function RuleEditor({ draft: given, action, onSave }: Props) {
  const { draft, setDraft, change, error, setError, isBusy, onSubmit } = useDraft(given, onSave)
  const faults = fieldFaults(error)
  return (
    <form noValidate className="grid items-start gap-4 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]" onSubmit={onSubmit}>
      <div className="grid min-w-0 gap-4">
        <Panel>
          <div className="grid gap-4 pt-1">
            <TextField
              label={words.name}
              maxLength={200}
              value={draft.name}
              fault={faults['name']}
              onChange={(event) => change({ name: event.target.value })}
            />
            <TargetFields target={draft.target} faults={faults} onChange={(target) => setDraft(withTarget(draft, target))} />
          </div>
        </Panel>
        <Panel title={words.condition}>
          <ConditionFields draft={draft} faults={faults} onChange={setDraft} />
        </Panel>
        <Panel title={words.whole}>
          <Telling draft={draft} onChange={change} />
        </Panel>
      </div>
      <div className="grid min-w-0 gap-4 xl:sticky xl:top-4">
        <Preview draft={draft} onFault={setError} />
        <FormFault>{error === undefined ? undefined : sentenceOf(error)}</FormFault>
        <Button type="submit" look="primary" disabled={isBusy} className="min-h-11">
          {action}
        </Button>
      </div>
    </form>
  )
}

/** How it is told, and by what. */
function Telling({ draft, onChange }: { draft: RuleDraft; onChange: (part: Partial<RuleDraft>) => void }) {
  const { severity, repeat, channels, enabled } = draft
  // One that was set over the API is offered, too.
  const repeats = [...new Set([...REPEATS, ...(repeat === '' ? [] : [Number(repeat)])])].toSorted((one, other) => one - other)
  return (
    <div className="grid gap-4">
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField
          label={words.severity}
          value={severity}
          onChange={(event) => onChange({ severity: event.target.value as RuleDraft['severity'] })}
        >
          {SEVERITIES.map((each) => (
            <option key={each} value={each}>
              {text.alerts.severities[each]}
            </option>
          ))}
        </SelectField>
        <SelectField label={words.repeat} value={repeat} onChange={(event) => onChange({ repeat: event.target.value })}>
          <option value="">{words.repeatOnce}</option>
          {repeats.map((seconds) => (
            <option key={seconds} value={seconds}>
              {words.repeatEach(duration(seconds))}
            </option>
          ))}
        </SelectField>
      </div>
      <ChannelChoice chosen={channels} onChange={(chosen) => onChange({ channels: chosen })} />
      <CheckField label={words.enabled} checked={enabled} onChange={(event) => onChange({ enabled: event.target.checked })} />
    </div>
  )
}
