import type { AlertRule } from '@vedette/shared'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button, buttonClass, IconButton } from '../../../components/button.tsx'
import { Confirm } from '../../../components/dialog.tsx'
import { StatusBadge } from '../../../components/status.tsx'
import { toast } from '../../../components/toast.tsx'
import { useScope, useViewer } from '../../../lib/api.ts'
import { sentenceOf } from '../../../lib/errors.ts'
import { text } from '../../../messages/index.ts'
import { ListPanel, useListPage } from '../list-panel.tsx'
import { rulesQuery } from '../queries.ts'
import { targetWords } from '../target.ts'
import { TargetName } from '../target-fields.tsx'
import { bodyOfRule } from './draft.ts'
import { conditionWords } from './words.ts'

const words = text.alerts.rules

export function RuleList() {
  const { client, can } = useViewer()
  const rules = useQuery(rulesQuery(useScope(), client, useListPage()))
  const add = can('monitors:update') && (
    <Link to="/alerts/rules/add" className={buttonClass('primary', true)}>
      <Plus size={15} aria-hidden="true" />
      {words.add}
    </Link>
  )
  return (
    <ListPanel
      title={words.title}
      lead={words.lead}
      none={words.none}
      add={add}
      list={rules}
      rowsOf={({ alert_rules }) => alert_rules}
      row={(rule) => <RuleRow key={rule.id} rule={rule} />}
    />
  )
}

function RuleRow({ rule }: { rule: AlertRule }) {
  const { can } = useViewer()
  const { id, name, enabled, severity, channel_ids, target } = rule
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-2.5">
      <span className="w-24">
        <StatusBadge status={enabled ? severity : 'off'} />
      </span>
      <div className="min-w-0 flex-1 basis-52">
        <Link
          to="/alerts/rules/$ruleId"
          params={{ ruleId: id }}
          className="block truncate font-medium hover:text-accent hover:underline"
        >
          {name}
        </Link>
        <p className="text-[0.92rem] text-muted [overflow-wrap:anywhere]">
          {conditionWords(rule)} · {target.id === null ? targetWords(target) : <TargetName type={target.type} id={target.id} />}
        </p>
      </div>
      <span className="text-[0.92rem] text-muted">
        {channel_ids.length === 0 ? words.toldNowhere : words.toldBy(channel_ids.length)}
      </span>
      {can('monitors:update') && <RuleActions rule={rule} />}
    </li>
  )
}

/** Both can be taken back. */
function RuleActions({ rule }: { rule: AlertRule }) {
  const { client } = useViewer()
  const scope = useScope()
  const queries = useQueryClient()
  const [isDeleting, setDeleting] = useState(false)
  const { id, name, enabled } = rule
  const refresh = () => queries.invalidateQueries({ queryKey: [scope, 'alert-rules'] })
  const told = (work: () => Promise<void>) => void work().catch((error: unknown) => toast(sentenceOf(error), 'bad'))
  const set = async (isOn: boolean) => {
    await client.alertRules.update(id, { enabled: isOn })
    toast(isOn ? words.turnedOn(name) : words.turnedOff(name), 'good', {
      label: text.actions.undo,
      run: () => told(() => set(!isOn)),
    })
    await refresh()
  }
  const restore = async () => {
    await client.alertRules.create(bodyOfRule(rule))
    toast(words.restored(name))
    await refresh()
  }
  const remove = async () => {
    await client.alertRules.remove(id)
    toast(words.deleted(name), 'good', { label: text.actions.undo, run: () => told(restore) })
    queries.removeQueries({ queryKey: [scope, 'alert-rules', id] })
    await refresh()
  }
  return (
    <span className="flex items-center gap-1">
      <Button small aria-label={`${enabled ? words.turnOff : words.turnOn}: ${name}`} onClick={() => told(() => set(!enabled))}>
        {enabled ? words.turnOff : words.turnOn}
      </Button>
      <IconButton label={`${text.actions.delete}: ${name}`} onClick={() => setDeleting(true)} className="hover:text-bad">
        <Trash2 size={16} />
      </IconButton>
      <Confirm
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        title={words.deleteTitle(name)}
        description={words.deleteLead}
        action={text.actions.delete}
        onConfirm={remove}
      />
    </span>
  )
}
