import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy.tsx'
import { Confirm } from '../../components/dialog.tsx'
import { TextField } from '../../components/field.tsx'
import { Fact, Panel, SkeletonRows } from '../../components/page.tsx'
import { Instant } from '../../components/time.tsx'
import { toast } from '../../components/toast.tsx'
import { useScope, useViewer } from '../../lib/api.ts'
import { sentenceOf } from '../../lib/errors.ts'
import { count } from '../../lib/format.ts'
import { changePreferences } from '../../lib/preferences.ts'
import { fullDate } from '../../lib/time.ts'
import { text } from '../../messages/index.ts'

const words = text.settings.organization

export function OrganizationSettings() {
  const { client, can } = useViewer()
  const scope = useScope()
  const { data } = useQuery({
    queryKey: [scope, 'organization'],
    queryFn: ({ signal }) => client.organizations.read(scope, { signal }),
  })
  if (!data) {
    return (
      <Panel>
        <SkeletonRows rows={4} />
      </Panel>
    )
  }
  return (
    <>
      <Panel title={data.name}>
        <dl className="max-w-md">
          <Fact name={words.plan}>{data.plan}</Fact>
          <Fact name={words.members}>{count(data.member_count)}</Fact>
          <Fact name={words.monitors}>{count(data.monitor_count)}</Fact>
          <Fact name={words.servers}>{count(data.server_count)}</Fact>
          <Fact name={words.created}>
            <Instant at={data.created_at} format={fullDate} />
          </Fact>
          <Fact name={words.id}>
            <span className="inline-flex items-center gap-1 font-mono text-[0.88rem]">
              {data.id}
              <CopyButton value={data.id} />
            </span>
          </Fact>
        </dl>
      </Panel>
      {can('org:update') && <Rename key={data.name} id={data.id} name={data.name} />}
      {can('org:delete') && <Delete id={data.id} name={data.name} />}
    </>
  )
}

function Rename({ id, name: given }: { id: string; name: string }) {
  const { client } = useViewer()
  const queries = useQueryClient()
  const [name, setName] = useState(given)
  const save = async () => {
    try {
      await client.organizations.update(id, { name })
      toast(words.renamed)
      await Promise.all([queries.invalidateQueries({ queryKey: ['me'] }), queries.invalidateQueries({ queryKey: [id] })])
    } catch (error) {
      toast(sentenceOf(error), 'bad')
    }
  }
  return (
    <Panel>
      <form
        className="flex max-w-md flex-wrap items-end gap-3 pt-1"
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <TextField
          className="min-w-52 flex-1"
          label={words.name}
          value={name}
          maxLength={200}
          required
          onChange={(event) => setName(event.target.value)}
        />
        <Button type="submit" className="min-h-10" disabled={name === given}>
          {words.rename}
        </Button>
      </form>
    </Panel>
  )
}

function Delete({ id, name }: { id: string; name: string }) {
  const { client } = useViewer()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [isOpen, setOpen] = useState(false)
  const remove = async () => {
    await client.organizations.remove(id, { name })
    changePreferences({ organizationId: undefined })
    toast(words.deleted)
    await navigate({ to: '/' })
    queries.removeQueries({ queryKey: [id] })
    await queries.invalidateQueries({ queryKey: ['me'] })
  }
  return (
    <Panel title={words.deleteTitle}>
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-soft">{words.deleteLead}</p>
        <Button look="danger" onClick={() => setOpen(true)}>
          {words.deleteAction}
        </Button>
      </div>
      <Confirm
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        title={words.deleteTitle}
        description={`${words.deleteLead} ${text.confirm.cannotUndo}`}
        action={words.deleteAction}
        name={name}
        onConfirm={remove}
      />
    </Panel>
  )
}
