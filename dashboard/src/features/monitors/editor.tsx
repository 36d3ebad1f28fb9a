import { CHECK_METHODS, CHECK_TYPES, CONFIRMATIONS, MAX_NAME_LENGTH } from '@vedette/shared/tables'
import { useQuery } from '@tanstack/react-query'
import { type ComponentProps, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { SubmitButton } from '../../components/submit-button.tsx'
import { CheckField, CheckList, FormError, SelectField, TextField } from '../../components/field.tsx'
import { ConflictNotice, LeaveGuard } from '../../components/edit-notices.tsx'
import type { EditorProps } from '../../components/editor-pages.tsx'
import { FoldedPanel, Panel } from '../../components/page.tsx'
import { DependencyEditor } from '../../components/dependencies.tsx'
import { SingleTarget } from '../../components/target-fields.tsx'
import { TagEditor } from '../../components/tags.tsx'
import { useViewer } from '../../lib/api.ts'
import { fieldErrors } from '../../lib/errors.ts'
import { type FormState, useForm } from '../../lib/use-form.ts'
import { statusName } from '../../lib/status.ts'
import { messages } from '../../messages/index.ts'
import { monitorEditor } from '../../messages/monitor-editor.ts'
import { AddressFields } from './address-fields.tsx'
import { createPart } from '../../lib/create-part.tsx'
import { AssertionRows } from './assertion-rows.tsx'
import {
  credentialFaults,
  headerFaults,
  lostCredentials,
  type MonitorInput,
  nameOf,
  takesBody,
  toCheckedBody,
  toPatchBody,
  valueKinds,
  withType,
} from './input.ts'
import { definitionFaults, loadPlainFaults } from './definition-faults.ts'
import { furtherFaults } from './further-faults.ts'
import type { TypedComposite } from './composites/input.ts'
import type { TypedSchedule } from './heartbeat-input.ts'
import { HeartbeatSchedule } from './heartbeat-schedule.tsx'
import { kindOf } from './kind.ts'
import { FirstOptions, KindOptions, NetworkPanel } from './kind-options.tsx'
import { kindDescription, kindLabel } from '../../lib/kind-texts.ts'
import { BodyField, HeaderRows } from './header-rows.tsx'
import { PresetPicker } from './preset-picker.tsx'
import { regionsQuery } from './queries.ts'
import { TestPanel } from './test-panel.tsx'

const { fields } = messages.monitors
const text = monitorEditor.editor

const { Part: ActiveHoursFields } = createPart(() => import('./active-hours-fields.tsx'))
const { Part: DocumentationFields } = createPart(() => import('../../components/documentation-fields.tsx'))
const { Part: CompositeEditor } = createPart(() => import('./composites/editor.tsx'))

const missing = (input: MonitorInput, saved: MonitorInput | undefined) => [
  ...credentialFaults(lostCredentials(saved, input), text.enterAgain),
  ...input.assertions.flatMap((assertion, index) =>
    valueKinds(assertion).length > 0 && assertion.value === '' ? [`assertions.${index}.value`] : [],
  ),
  ...headerFaults(input, text.headerRepeated),
  ...definitionFaults(input),
]

/** The definition of a monitor, and a test of it before it is saved. */
export function MonitorEditor({ input: initial, action, onSave, saved, conflict }: EditorProps<MonitorInput>) {
  const save: typeof onSave = (typed, key) =>
    onSave(typed, key).catch(async (refusal) => {
      throw (await loadPlainFaults()).withPlainFaults(refusal)
    })
  const form = useForm(initial, save, {
    saved,
    schema: ['CreateMonitorBody', saved ? toPatchBody : toCheckedBody],
    missing: (input) => missing(input, saved),
    loadMore: loadPlainFaults,
  })
  const { input, change, error, setError, field } = form
  const errors = fieldErrors(error)
  const isHttp = input.type === 'http'
  const { isChecked, hasResults } = kindOf(input.type)
  const name = nameOf(input)
  return (
    <>
      <ConflictNotice conflict={conflict} onTake={change} />
      <form noValidate className="grid items-start gap-4 xl:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]" onSubmit={form.onSubmit}>
        <LeaveGuard isDirty={form.isDirty} isSaving={form.isBusy} />
        <div className="grid gap-4">
          <Panel>
            <div className="grid gap-4 pt-1">
              <TypeChoice type={input.type} error={errors['type']} onChoose={(type) => change(withType(input, type))} />
              <PresetPicker input={input} onChange={change} />
              {hasResults && <Address form={form} errors={errors} />}
              <FirstOptions input={input} saved={saved} errors={errors} onChange={change} />
              <TextField
                label={fields.name}
                hint={name === '' ? undefined : monitorEditor.address.nameHint(name)}
                maxLength={MAX_NAME_LENGTH}
                {...field('name')}
              />
            </div>
          </Panel>
          <OwnFields form={form} errors={errors} />
          <Panel>
            <div className="grid gap-4 pt-1">
              <CommonFields form={form} errors={errors} />
            </div>
          </Panel>
          {!isHttp && <KindOptions input={input} saved={saved} errors={errors} onChange={change} />}
          {hasResults && (
            <Panel title={fields.assertions}>
              <AssertionRows
                checkType={input.type}
                assertions={input.assertions}
                errors={errors}
                onChange={(assertions) => change({ assertions })}
              />
            </Panel>
          )}
          {isHttp && (
            <>
              <RequestOptions input={input} errors={errors} onChange={change} />
              <KindOptions input={input} saved={saved} errors={errors} onChange={change} />
            </>
          )}
          <NetworkPanel input={input} saved={saved} errors={errors} onChange={change} />
          <ActiveHoursFields hours={input.activeHours} errors={errors} onChange={(activeHours) => change({ activeHours })} />
          <DocumentationFields
            documentation={input.documentation}
            errors={errors}
            onChange={(documentation) => change({ documentation })}
          />
        </div>
        <div className="grid gap-4 xl:sticky xl:top-4">
          {isChecked && <TestPanel input={input} onError={setError} />}
          <FormError error={error} />
          <FurtherFaults error={error} />
          <SubmitButton form={form} action={action} className="min-h-11" />
        </div>
      </form>
    </>
  )
}

interface FormProps {
  form: FormState<MonitorInput>
  errors: Readonly<Record<string, string>>
}

/** What no field of the page shows. */
function FurtherFaults({ error }: { error: unknown }) {
  const faults = furtherFaults(error)
  if (faults.length === 0) return null
  return (
    <p className="text-bad">
      {text.further} {faults.join(' ')}
    </p>
  )
}

/** Where a check goes, or what is expected of a job. */
function Address({ form: { input, field, change }, errors }: FormProps) {
  return (
    <AddressFields key={input.type} type={input.type} url={input.url} errors={errors} onChange={(url) => change({ url })}>
      {input.type === 'http' ? (
        <SelectField label={fields.method} {...field('method')}>
          {CHECK_METHODS.map((method) => (
            <option key={method}>{method}</option>
          ))}
        </SelectField>
      ) : undefined}
    </AddressFields>
  )
}

/** What a kind has in place of a check. */
function OwnFields({ form: { input, change }, errors }: FormProps) {
  const { type, options } = input
  if (type === 'heartbeat')
    return (
      <HeartbeatSchedule
        schedule={options['schedule'] as TypedSchedule}
        errors={errors}
        onChange={(schedule) => change({ options: { ...options, schedule } })}
      />
    )
  if (type !== 'composite') return null
  return (
    <CompositeEditor
      composite={options as unknown as TypedComposite}
      errors={errors}
      onChange={(part) => change({ options: { ...options, ...part } })}
    />
  )
}

/** What every kind has. Heartbeats and composites have no times and regions of their own. */
function CommonFields({ form: { input, field, change }, errors }: FormProps) {
  const { isChecked, hasResults } = kindOf(input.type)
  return (
    <>
      {isChecked && (
        <div className="grid gap-4 sm:grid-cols-3">
          <TextField label={fields.interval} hint={text.duration} autoComplete="off" {...field('interval')} />
          <TextField label={fields.timeout} hint={text.duration} autoComplete="off" {...field('timeout')} />
          <TextField
            label={fields.confirmations}
            hint={text.confirmationsHint}
            type="number"
            min={CONFIRMATIONS.minimum}
            max={CONFIRMATIONS.maximum}
            {...field('confirmations')}
          />
        </div>
      )}
      {isChecked && (
        <RegionChoice chosen={input.regions ?? []} error={errors['regions']} onChange={(regions) => change({ regions })} />
      )}
      {hasResults && <ServerChoice id={input.server} onChoose={(server) => change({ server })} />}
      <DependencyEditor dependsOn={input.dependsOn} errors={errors} onChange={(dependsOn) => change({ dependsOn })} />
      <TagEditor tags={input.tags} onChange={(tags) => change({ tags })} />
    </>
  )
}

/** A type that this page does not know stays as it is. */
function TypeChoice({ type, error, onChoose }: { type: string; error: string | undefined; onChoose: (type: string) => void }) {
  const known = Object.keys(CHECK_TYPES)
  return (
    <SelectField
      label={fields.type}
      hint={kindDescription(type)}
      error={error}
      value={type}
      onChange={(event) => onChoose(event.target.value)}
    >
      {[...known, ...(known.includes(type) ? [] : [type])].map((name) => (
        <option key={name} value={name}>
          {kindLabel(name)}
        </option>
      ))}
    </SelectField>
  )
}

/** Most monitors have none: the search opens with a button. */
function ServerChoice({ id, onChoose }: { id: string | undefined; onChoose: (id: string | undefined) => void }) {
  const [isSearching, setSearching] = useState(false)
  return (
    <fieldset>
      <legend className="mb-1 font-semibold text-[0.95rem]">{fields.server}</legend>
      {id === undefined && !isSearching ? (
        <Button small onClick={() => setSearching(true)}>
          {text.chooseServer}
        </Button>
      ) : (
        <SingleTarget type="server" id={id} onChoose={onChoose} />
      )}
    </fieldset>
  )
}

/** Nothing where there is only one region. */
function RegionChoice(props: Pick<ComponentProps<typeof CheckList>, 'chosen' | 'error' | 'onChange'>) {
  const { data } = useQuery(regionsQuery(useViewer()))
  if (!data || data.regions.length < 2) return null
  const options = data.regions.map(({ id, name, status }) => ({
    value: id,
    label: name,
    hint: status === 'offline' ? statusName(status) : undefined,
  }))
  return <CheckList label={fields.regions} options={options} {...props} />
}

interface OptionsProps {
  input: MonitorInput
  errors: Readonly<Record<string, string>>
  onChange: (part: Partial<MonitorInput>) => void
}

function RequestOptions({ input, errors, onChange }: OptionsProps) {
  const isFilled = input.headers.length > 0 || input.body !== '' || !input.followRedirects || !input.verifyTls
  return (
    <FoldedPanel
      title={text.requestOptions}
      isFilled={isFilled}
      hasFault={Object.keys(errors).some((path) => /^(headers|body)/.test(path))}
    >
      <div className="grid gap-4">
        <HeaderRows headers={input.headers} errors={errors} onChange={(headers) => onChange({ headers })} />
        {takesBody(input.method) && (
          <BodyField rows={4} value={input.body} error={errors['body']} onChange={(body) => onChange({ body })} />
        )}
        <CheckField
          label={fields.redirects}
          hint={text.redirectsHint}
          checked={input.followRedirects}
          onChange={(event) => onChange({ followRedirects: event.target.checked })}
        />
        <CheckField
          label={fields.tls}
          hint={text.tlsHint}
          checked={input.verifyTls}
          onChange={(event) => onChange({ verifyTls: event.target.checked })}
        />
      </div>
    </FoldedPanel>
  )
}
