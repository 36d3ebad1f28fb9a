import { checkKindSpec, MASK, type OptionSpec, stepsIn } from '@vedette/shared/tables'
import { FoldedPanel, Panel } from '../../components/page.tsx'
import { monitorEditor } from '../../messages/monitor-editor.ts'
import { lostCredentials } from './input.ts'
import { OptionControl, type Props, TextControl } from './option-fields.tsx'
import { kindFormOf } from './kind-forms.ts'
import { createPart } from '../../lib/create-part.tsx'
import { fieldTexts } from '../../lib/kind-texts.ts'

const text = monitorEditor.editor

const { Part: StepsEditor } = createPart(() => import('./steps-editor.tsx'))

/** Steps and schedules have components of their own. */
const hasField = (spec: OptionSpec): boolean => spec.form !== 'own' || spec.lines !== undefined

/** Which options and credentials: those that are asked with the address, or the others. */
const partOf = (type: string, isFirst: boolean) => {
  const kind = checkKindSpec(type)
  const { first } = kindFormOf(type)
  const has = (names: readonly string[] | undefined, name: string) => (names ?? []).includes(name) === isFirst
  return {
    credentials: Object.entries(kind?.credentials ?? {}).filter(([name]) => has(first?.credentials, name)),
    options: Object.entries(kind?.options ?? {}).filter(([name, spec]) => hasField(spec) && has(first?.options, name)),
  }
}

/** The fields of a part of the options and credentials, by the description of the kind. */
function OptionFields({ input, saved, errors, onChange, isFirst }: Props & { isFirst: boolean }) {
  const { type, options, credentials } = input
  const specs = partOf(type, isFirst)
  const lost = lostCredentials(saved, input)
  const maskHint = (name: string) =>
    credentials[name] === MASK ? { hint: lost.includes(name) ? text.enterAgain : text.secretStored } : {}
  return (
    <div className="grid gap-4 pt-1 sm:grid-cols-2">
      {specs.credentials.map(([name, { isLong }]) => (
        <TextControl
          key={name}
          {...fieldTexts(type, name)}
          {...maskHint(name)}
          isLong={isLong}
          value={credentials[name] ?? ''}
          error={errors[`credentials.${name}`]}
          onChange={(value) => onChange({ credentials: { ...credentials, [name]: value } })}
        />
      ))}
      {specs.options.map(([name, spec]) => (
        <OptionControl
          key={name}
          {...fieldTexts(type, name)}
          spec={spec}
          value={options[name]}
          error={errors[`options.${name}`]}
          onChange={(value) => onChange({ options: { ...options, [name]: value } })}
        />
      ))}
    </div>
  )
}

/** Those that are asked with the address. */
export function FirstOptions(props: Props) {
  return kindFormOf(props.input.type).first ? <OptionFields {...props} isFirst /> : null
}

/** The other options and credentials of a kind of check. */
export function KindOptions(props: Props) {
  const { input, errors, onChange } = props
  const { type, options, credentials } = input
  const specs = partOf(type, false)
  if (specs.options.length === 0 && specs.credentials.length === 0) return null
  const controls = <OptionFields {...props} isFirst={false} />
  // Those of HTTP are credentials, which most monitors do not need.
  if (type === 'http') {
    return (
      <FoldedPanel
        title={text.authentication}
        isFilled={[...specs.options.map(([name]) => options[name]), ...specs.credentials.map(([name]) => credentials[name])].some(
          (value) => value !== undefined && value !== '',
        )}
        hasFault={[
          ...specs.options.map(([name]) => `options.${name}`),
          ...specs.credentials.map(([name]) => `credentials.${name}`),
        ].some((path) => path in errors)}
      >
        {controls}
      </FoldedPanel>
    )
  }
  const fieldsOfKind = <Panel title={text.kindOptions}>{controls}</Panel>
  if (type !== 'steps') return fieldsOfKind
  const steps = stepsIn(options)
  return (
    <>
      {fieldsOfKind}
      <StepsEditor
        steps={steps.length > 0 ? steps : FIRST_STEP}
        errors={errors}
        onChange={(next) => onChange({ options: { ...options, steps: next } })}
      />
    </>
  )
}

const { Part: NetworkOptions } = createPart(() => import('./network-options.tsx'))

/** The options that every kind has for the network. Most monitors need none of them, so their fields come when it is opened. */
export function NetworkPanel(props: Props) {
  const { input, errors } = props
  const kind = checkKindSpec(input.type)
  if (kind?.network === undefined) return null
  const isOfNetwork = (name: string) => !Object.hasOwn(kind.options, name)
  return (
    <FoldedPanel
      isLazy
      title={text.networkOptions}
      isFilled={Object.entries(input.options).some(([name, value]) => isOfNetwork(name) && value !== '')}
      hasFault={Object.keys(errors).some((path) => {
        const [field, name = ''] = path.split('.')
        return (field === 'options' && isOfNetwork(name)) || path === 'credentials.proxy_password'
      })}
    >
      <NetworkOptions {...props} />
    </FoldedPanel>
  )
}

const FIRST_STEP = [{ name: '', url: '/' }]
