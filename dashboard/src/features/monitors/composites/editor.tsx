import { ENTITY_KIND_NAMES, type EntityKindName, MAX_COMPOSITE_MEMBERS, MAX_ENTITY_NAME_LENGTH } from '@vedette/shared/tables'
import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { Button, IconButton } from '../../../components/button.tsx'
import { AddDependency, DependencyName } from '../../../components/dependencies.tsx'
import { CheckField, FieldError, SelectField, TextField } from '../../../components/field.tsx'
import { X } from '../../../components/icons.tsx'
import { Panel } from '../../../components/page.tsx'
import { Segmented } from '../../../components/segmented.tsx'
import { SingleTarget, TargetName } from '../../../components/target-fields.tsx'
import { useViewer } from '../../../lib/api.ts'
import { anyKindName, kindName } from '../../../lib/entity-texts.ts'
import { errorsBelow, withPart, without } from '../../../lib/rows.ts'
import { statusName } from '../../../lib/status.ts'
import { composites } from '../../../messages/composites.ts'
import { messages } from '../../../messages/index.ts'
import {
  MANUAL_STATES,
  type MemberTarget,
  newRule,
  numberField,
  RULE_FORMS,
  type RuleForm,
  type TypedComposite,
  type TypedMember,
  type TypedRule,
} from './input.ts'

const { editor: text, rules } = composites

type Errors = Readonly<Record<string, string>>

interface Props {
  composite: TypedComposite
  /** By path, as `options.members.0.weight`. */
  errors: Errors
  onChange: (part: Partial<TypedComposite>) => void
}

/** What gives a composite its status: members and a rule, or a person. */
export default function CompositeEditor({ composite, errors, onChange }: Props) {
  const { isManual, manual_status: manual, members, down_when: down, degraded_when: degraded } = composite
  const own = errorsBelow(errors, 'options.')
  const isNoneRequired = !members.some(({ required }) => required)
  return (
    <>
      <Panel title={text.source}>
        <div className="grid gap-4 pt-1">
          <Segmented
            label={text.source}
            value={isManual ? 'person' : 'members'}
            options={(['members', 'person'] as const).map((value) => ({ value, label: text.sources[value] }))}
            onChoose={(source) => onChange({ isManual: source === 'person' })}
          />
          {isManual ? (
            <SelectField
              label={text.manualStatus}
              hint={text.manualHint}
              error={own['manual_status']}
              value={manual}
              onChange={({ target }) => onChange({ manual_status: target.value as TypedComposite['manual_status'] })}
            >
              {MANUAL_STATES.map((status) => (
                <option key={status} value={status}>
                  {statusName(status)}
                </option>
              ))}
            </SelectField>
          ) : (
            <Members members={members} errors={own} onChange={(next) => onChange({ members: next })} />
          )}
        </div>
      </Panel>
      {!isManual && (
        <Panel title={text.rule}>
          <div className="grid gap-4 pt-1">
            <RuleFields
              name="down_when"
              label={text.downWhen}
              rule={down}
              errors={own}
              isNoneRequired={isNoneRequired}
              onChange={(rule) => onChange({ down_when: rule })}
            />
            <CheckField
              label={text.ownDegraded}
              hint={text.ownDegradedHint}
              checked={degraded !== undefined}
              onChange={({ target }) => onChange({ degraded_when: target.checked ? newRule('count') : undefined })}
            />
            {degraded && (
              <RuleFields
                name="degraded_when"
                label={text.degradedWhen}
                rule={degraded}
                errors={own}
                isNoneRequired={isNoneRequired}
                onChange={(rule) => onChange({ degraded_when: rule })}
              />
            )}
          </div>
        </Panel>
      )}
    </>
  )
}

interface RuleProps {
  name: 'down_when' | 'degraded_when'
  label: string
  rule: TypedRule
  errors: Errors
  isNoneRequired: boolean
  onChange: (rule: TypedRule) => void
}

function RuleFields({ name, label, rule: { form, number }, errors, isNoneRequired, onChange }: RuleProps) {
  const field = numberField(form)
  const wordsOf = (one: RuleForm): string => (one === 'percent' ? rules.belowShare : rules[name][one])
  return (
    <div className="grid gap-4 sm:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
      <SelectField
        label={label}
        hint={form === 'required' && isNoneRequired ? rules.noneRequired : undefined}
        error={errors[name]}
        value={form}
        onChange={({ target }) => onChange(newRule(target.value as RuleForm))}
      >
        {RULE_FORMS.map((one) => (
          <option key={one} value={one}>
            {wordsOf(one)}
          </option>
        ))}
      </SelectField>
      {field !== undefined && (
        <TextField
          label={form === 'percent' ? rules.share : rules.number}
          hint={form === 'percent' ? rules.shareHint : undefined}
          type="number"
          min={1}
          max={form === 'percent' ? 100 : MAX_COMPOSITE_MEMBERS}
          value={number}
          error={errors[`${name}.${field}`]}
          onChange={({ target }) => onChange({ form, number: target.value })}
        />
      )}
    </div>
  )
}

interface MembersProps {
  members: readonly TypedMember[]
  /** By path, as `members.0.weight`. */
  errors: Errors
  onChange: (members: readonly TypedMember[]) => void
}

const keyOf = ({ target }: TypedMember): string => JSON.stringify(target)

function Members({ members, errors, onChange }: MembersProps) {
  const [adding, setAdding] = useState<'target' | 'part'>()
  const id = useId()
  const add = (target: MemberTarget) => {
    const member = { target, weight: '1', required: false }
    if (!members.some((one) => keyOf(one) === keyOf(member))) onChange([...members, member])
    setAdding(undefined)
  }
  const cancel = () => setAdding(undefined)
  return (
    <fieldset className="grid min-w-0 gap-2" aria-describedby={errors['members'] === undefined ? undefined : id}>
      <legend className="mb-1 font-semibold text-[0.95rem]">{text.members}</legend>
      <p className="text-[0.9rem] text-muted">{text.membersHint}</p>
      {members.length > 0 && (
        <ul className="grid gap-1.5">
          {members.map((member, index) => (
            <Member
              key={keyOf(member)}
              member={member}
              errors={errorsBelow(errors, `members.${index}.`)}
              error={errors[`members.${index}`]}
              onChange={(part) => onChange(withPart(members, index, part))}
              onRemove={() => onChange(without(members, index))}
            />
          ))}
        </ul>
      )}
      {adding === 'target' && <AddDependency onAdd={add} onCancel={cancel} />}
      {adding === 'part' && <AddPart onAdd={add} onCancel={cancel} />}
      {adding === undefined && (
        <div className="flex flex-wrap gap-2">
          <Button small onClick={() => setAdding('target')}>
            {text.add}
          </Button>
          <Button small onClick={() => setAdding('part')}>
            {text.addPart}
          </Button>
        </div>
      )}
      <FieldError id={id} error={errors['members']} />
    </fieldset>
  )
}

interface MemberProps {
  member: TypedMember
  /** Of its fields. */
  errors: Errors
  error: string | undefined
  onChange: (part: Partial<TypedMember>) => void
  onRemove: () => void
}

function Member({ member: { target, weight, required }, errors, error, onChange, onRemove }: MemberProps) {
  const id = useId()
  const isPlain = weight === '1' && !required
  const { weight: weightError, ...others } = errors
  const [isOpen, setOpen] = useState(false)
  return (
    <li className="rounded-lg bg-accent-ground px-2.5 pb-1.5">
      <div className="flex items-center justify-between gap-2">
        <span id={id} className="min-w-0 [overflow-wrap:anywhere]">
          {target.type === 'entity' ? (
            <>
              {composites.partOf(anyKindName(target.kind), target.name)} (
              <TargetName type="server" id={target.server_id} />)
            </>
          ) : (
            <DependencyName dependency={target} />
          )}
        </span>
        <IconButton label={text.removeMember} aria-describedby={id} onClick={onRemove}>
          <X size={16} />
        </IconButton>
      </div>
      <FieldError id={`${id}-error`} error={error ?? Object.values(others)[0]} />
      <details open={isOpen || weightError !== undefined} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary className="w-fit text-[0.9rem] text-soft">
          {isPlain ? text.details : [composites.weightOf(weight), ...(required ? [composites.required] : [])].join(', ')}
        </summary>
        <div className="flex flex-wrap items-start gap-x-6 gap-y-2 pt-2">
          <TextField
            className="w-32"
            label={text.weight}
            type="number"
            min={1}
            value={weight}
            error={weightError}
            onChange={(event) => onChange({ weight: event.target.value })}
          />
          <CheckField
            label={text.required}
            hint={text.requiredHint}
            checked={required}
            onChange={(event) => onChange({ required: event.target.checked })}
          />
        </div>
      </details>
    </li>
  )
}

/** A part of a server, such as a container, by its kind and its name there. */
function AddPart({ onAdd, onCancel }: { onAdd: (target: MemberTarget) => void; onCancel: () => void }) {
  const { client, organizationId } = useViewer()
  const [server, setServer] = useState<string>()
  const [kind, setKind] = useState<string>('container')
  const [name, setName] = useState('')
  const known = useId()
  const { data } = useQuery({
    queryKey: [organizationId, 'servers', server, 'entities', 'names', kind],
    queryFn: ({ signal }) => client.serverEntities.list(server ?? '', { kind: kind as EntityKindName, limit: 100 }, { signal }),
    enabled: server !== undefined,
  })
  return (
    <div className="grid gap-3 rounded-lg border border-line p-3">
      <SingleTarget type="server" id={server} onChoose={setServer} />
      {server !== undefined && (
        <div className="grid gap-4 sm:grid-cols-2">
          <SelectField label={text.partKind} value={kind} onChange={({ target }) => setKind(target.value)}>
            {ENTITY_KIND_NAMES.map((one) => (
              <option key={one} value={one}>
                {kindName(one)}
              </option>
            ))}
          </SelectField>
          <TextField
            label={text.partName}
            value={name}
            maxLength={MAX_ENTITY_NAME_LENGTH}
            list={known}
            autoComplete="off"
            onChange={({ target }) => setName(target.value)}
          />
          <datalist id={known}>
            {data?.entities.map((entity) => (
              <option key={entity.id} value={entity.name} />
            ))}
          </datalist>
        </div>
      )}
      <div className="flex flex-wrap gap-2">
        {server !== undefined && (
          <Button
            small
            disabled={name.trim() === ''}
            onClick={() => onAdd({ type: 'entity', server_id: server, kind, name: name.trim() })}
          >
            {text.addNamed}
          </Button>
        )}
        <Button small onClick={onCancel}>
          {messages.actions.cancel}
        </Button>
      </div>
    </div>
  )
}
