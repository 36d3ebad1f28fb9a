import { checkKindSpec, MASK, NETWORK_OPTIONS, networkOptionsOf, type OptionSpec, PROXY_PASSWORD } from '@vedette/shared/tables'
import { monitorEditor } from '../../messages/monitor-editor.ts'
import { networkTexts } from '../../messages/network-options.ts'
import type { NetworkTexts } from '../../messages/translation.ts'
import { lostCredentials } from './input.ts'
import { OptionControl, type Props, TextControl } from './option-fields.tsx'

const text = monitorEditor.editor

const PASSWORD = 'proxy_password'

/** What says no more than the default is left out, as an empty text is. */
const isDefault = (spec: OptionSpec, value: unknown): boolean => 'default' in spec && spec.default === value

const textsOf = (name: keyof NetworkTexts, { label, hint }: { label: string; hint: string }): { label: string; hint: string } =>
  networkTexts?.[name] ?? { label, hint }

/** What checks of every kind have for the network, as far as it fits the kind. Most monitors need none of it. */
export default function NetworkOptions({ input, saved, errors, onChange }: Props) {
  const { type, options, credentials } = input
  const kind = checkKindSpec(type)
  const names = kind ? networkOptionsOf(kind) : []
  const isGiven = (name: string) => options[name] !== undefined && options[name] !== ''
  const stored = lostCredentials(saved, input).includes(PASSWORD) ? text.enterAgain : text.secretStored
  return (
    <div className="grid gap-4 pt-1 sm:grid-cols-2">
      {names.map((name) => {
        const spec = NETWORK_OPTIONS[name]
        return (
          <OptionControl
            key={name}
            {...textsOf(name, spec)}
            spec={spec}
            value={options[name] ?? ('default' in spec && spec.form === 'choice' ? spec.default : undefined)}
            error={errors[`options.${name}`]}
            onChange={(value) => onChange({ options: { ...options, [name]: isDefault(spec, value) ? '' : value } })}
          />
        )
      })}
      {(isGiven('proxy_url') || credentials[PASSWORD] !== undefined) && (
        <TextControl
          {...textsOf(PASSWORD, PROXY_PASSWORD)}
          {...(credentials[PASSWORD] === MASK && { hint: stored })}
          isLong={undefined}
          value={credentials[PASSWORD] ?? ''}
          error={errors[`credentials.${PASSWORD}`]}
          onChange={(value) => onChange({ credentials: { ...credentials, [PASSWORD]: value } })}
        />
      )}
    </div>
  )
}
