import { ALERT_SOURCE_TYPES, MAX_NAME_LENGTH, SEVERITIES } from '@vedette/shared/tables'
import { ChannelChoice } from '../../components/channel-choice.tsx'
import { ConflictNotice, LeaveGuard } from '../../components/edit-notices.tsx'
import type { EditorProps } from '../../components/editor-pages.tsx'
import { CheckField, SelectField, TextField } from '../../components/field.tsx'
import { Form } from '../../components/form.tsx'
import { Panel } from '../../components/page.tsx'
import { PolicyChoice } from '../../components/policy-choice.tsx'
import { TagEditor } from '../../components/tags.tsx'
import { TextArea } from '../../components/text-area.tsx'
import { fieldErrors } from '../../lib/errors.ts'
import { errorsBelow } from '../../lib/rows.ts'
import { statusName } from '../../lib/status.ts'
import { type FormState, useForm } from '../../lib/use-form.ts'
import { alertSources as text } from '../../messages/alert-sources.ts'
import { alerts } from '../../messages/alerts.ts'
import { RouteFields } from './route-fields.tsx'
import { type SourceInput, TEMPLATE_FIELDS, toCreateBody, toPatchBody } from './input.ts'

export function SourceEditor({
  input: initial,
  isNew = false,
  action,
  onSave,
  saved,
  conflict,
  children,
}: EditorProps<SourceInput>) {
  const form = useForm(initial, onSave, {
    saved,
    schema: isNew ? ['CreateAlertSourceBody', toCreateBody] : ['PatchAlertSourceBody', toPatchBody],
  })
  const { input, change, field } = form
  return (
    <>
      <ConflictNotice conflict={conflict} onTake={change} />
      <Form form={form} action={action} className="max-w-2xl">
        <LeaveGuard isDirty={form.isDirty} isSaving={form.isBusy} />
        <Panel>
          <div className="grid gap-4 pt-1">
            <SelectField label={text.type} {...field('type')} disabled={!isNew}>
              {ALERT_SOURCE_TYPES.map((type) => (
                <option key={type} value={type}>
                  {text.types[type]}
                </option>
              ))}
            </SelectField>
            <TextField label={alerts.name} maxLength={MAX_NAME_LENGTH} {...field('name')} />
            <CheckField
              label={alerts.enabled}
              hint={text.enabledHint}
              checked={input.enabled}
              onChange={({ target }) => change({ enabled: target.checked })}
            />
            <CheckField
              label={text.mute}
              hint={text.muteHint}
              checked={input.muted}
              onChange={({ target }) => change({ muted: target.checked })}
            />
          </div>
        </Panel>
        <Panel title={text.notified}>
          <div className="grid gap-4">
            <PolicyChoice {...field('policy', 'escalation_policy_id')} />
            {input.policy === '' && <ChannelChoice chosen={input.channels} onChange={(channels) => change({ channels })} />}
            <RouteFields
              routes={input.routes}
              errors={errorsBelow(fieldErrors(form.error), 'routes.')}
              onChange={(routes) => change({ routes })}
            />
          </div>
        </Panel>
        {input.type === 'generic' && <TemplateFields form={form} />}
        <FurtherFields form={form} />
      </Form>
      {children}
    </>
  )
}

/** How the JSON of any sender is read. */
function TemplateFields({ form: { input, change, error } }: { form: FormState<SourceInput> }) {
  const { title, lead, name, ...texts } = text.template
  const labels = { ...texts, title: name }
  const errors = fieldErrors(error)
  return (
    <Panel title={title}>
      <div className="grid gap-4">
        <p className="text-muted">{lead}</p>
        {TEMPLATE_FIELDS.map((each) => (
          <TextField
            key={each}
            label={labels[each]}
            hint={labels[`${each}Hint`]}
            error={errors[`template.${each}`]}
            mono
            spellCheck={false}
            value={input.template[each]}
            onChange={({ target }) => change({ template: { ...input.template, [each]: target.value } })}
          />
        ))}
      </div>
    </Panel>
  )
}

/** What most senders need nothing of. */
function FurtherFields({ form: { input, change, field } }: { form: FormState<SourceInput> }) {
  return (
    <>
      <Panel title={text.severities}>
        <div className="grid gap-4">
          <SelectField label={text.defaultSeverity} {...field('defaultSeverity', 'default_severity')}>
            {SEVERITIES.map((severity) => (
              <option key={severity} value={severity}>
                {statusName(severity)}
              </option>
            ))}
          </SelectField>
          <TextArea
            label={text.severityMap}
            hint={text.severityMapHint}
            mono
            spellCheck={false}
            {...field('severityMap', 'severity_map')}
          />
        </div>
      </Panel>
      <Panel title={text.labels}>
        <div className="grid gap-4">
          <TagEditor tags={input.tags} onChange={(tags) => change({ tags })} />
          <TextField label={text.tagLabels} hint={text.tagLabelsHint} mono {...field('tagLabels', 'tag_labels')} />
          <TextField label={text.groupBy} hint={text.groupByHint} mono {...field('groupBy', 'group_by')} />
        </div>
      </Panel>
      <Panel title={text.limits}>
        <div className="grid gap-4">
          <TextField label={text.resolveAfter} hint={text.resolveAfterHint} {...field('resolveAfter', 'resolve_after_seconds')} />
          <TextField label={text.maxOpen} hint={text.maxOpenHint} type="number" {...field('maxOpen', 'max_open')} />
        </div>
      </Panel>
    </>
  )
}
