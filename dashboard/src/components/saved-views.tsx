import { Bookmark, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { ownerOf, useViewer } from '../lib/api.ts'
import type { ListSearch } from '../lib/list-search.ts'
import { changePreferences, usePreferences } from '../lib/preferences.ts'
import { useForm } from '../lib/use-form.ts'
import { messages } from '../messages/index.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { TextField } from './field.tsx'
import { Form } from './form.tsx'
import { Menu, MenuItem, MenuLine } from './menu.tsx'

const text = messages.views
const MAX_NAME_LENGTH = 60

interface Props {
  list: string
  search: ListSearch
  onOpen: (search: ListSearch) => void
}

/** Filters, order and groups under a name, for this person in this browser. */
export function SavedViews({ list, search, onOpen }: Props) {
  const { views } = usePreferences()
  const [isSaving, setSaving] = useState(false)
  const owner = `${ownerOf(useViewer())} ${list}`
  const own = views.filter((view) => view.owner === owner)
  const { page: _page, ...current } = search
  const without = (name: string) => views.filter((view) => view.owner !== owner || view.name !== name)
  return (
    <>
      <Menu
        align="start"
        trigger={
          <Button small>
            <Bookmark size={14} aria-hidden="true" />
            {text.label}
          </Button>
        }
      >
        {own.map((view) => (
          <MenuItem key={view.name} onSelect={() => onOpen(view.search)}>
            {view.name}
          </MenuItem>
        ))}
        {own.length > 0 && <MenuLine />}
        <MenuItem onSelect={() => setSaving(true)} disabled={Object.keys(current).length === 0}>
          {text.save}
        </MenuItem>
        {own.map(({ name }) => (
          <MenuItem key={name} danger onSelect={() => changePreferences({ views: without(name) })}>
            <Trash2 size={15} aria-hidden="true" />
            {text.remove(name)}
          </MenuItem>
        ))}
      </Menu>
      {isSaving && (
        <SaveView
          onClose={() => setSaving(false)}
          onSave={(name) => changePreferences({ views: [...without(name), { owner, name, search: current }] })}
        />
      )}
    </>
  )
}

function SaveView({ onSave, onClose }: { onSave: (name: string) => void; onClose: () => void }) {
  const form = useForm({ name: '' }, async ({ name }) => {
    onSave(name.trim())
    onClose()
  })
  return (
    <Dialog isOpen onClose={onClose} title={text.save} description={text.lead}>
      <Form form={form} action={messages.actions.save} isDisabled={form.input.name.trim() === ''} onCancel={onClose}>
        <TextField label={text.name} maxLength={MAX_NAME_LENGTH} {...form.field('name')} />
      </Form>
    </Dialog>
  )
}
