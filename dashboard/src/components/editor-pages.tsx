import type { Client } from '@vedette/client'
import type { Managed } from '@vedette/shared'
import { useNavigate } from '@tanstack/react-router'
import { type ComponentType, type ReactNode, useState } from 'react'
import { type Permission, useCache, useEditedQuery, useViewer } from '../lib/api.ts'
import { type EditConflict, useEdit } from '../lib/use-edit.ts'
import { messages } from '../messages/index.ts'
import { HistoryLink, ManagedNote, useOverwriteQuestion } from './managed.tsx'
import { Page } from './page.tsx'
import { QueryPage } from './query-page.tsx'
import { toast } from './toast.tsx'
import { useUndo } from './use-undo.ts'

export interface EditorProps<Input> {
  input: Input
  /** The text of the button that saves. */
  action: string
  onSave: (input: Input, idempotencyKey: string) => Promise<void>
  /** Whether nothing is stored yet: of a status page, title and address then follow what is typed before them. */
  isNew?: boolean
  /** What is stored, where the form begins with something else. */
  saved?: Input | undefined
  conflict?: EditConflict<Input> | undefined
  /** Shown next to the form of some editors. */
  children?: ReactNode
}

interface Named {
  id: string
  name: string
  managed?: Managed | null
}

interface ResourceApi<Resource, Body, PatchBody> {
  create(body: Body, options: { idempotencyKey: string }): Promise<Resource>
  read(id: string, options?: { signal: AbortSignal }): Promise<Resource>
  update(id: string, changes: Partial<PatchBody>, options: { ifMatch: string | undefined }): Promise<unknown>
}

interface Heading {
  lead?: ReactNode
  aside?: ReactNode
}

/** How a resource is created and edited, on a page each. */
interface EditorPages<Resource, Input, Body, PatchBody> {
  /** The first part of the keys of its cached answers. */
  noun: string
  /** Whether its lists are cached below `list`, so that a new one leaves what is cached of the others. */
  hasListKey?: boolean
  /** Whether the answer of the creation is what its own page reads. */
  isCached?: boolean
  api: (client: Client) => ResourceApi<Resource, Body, PatchBody>
  /** `monitors:update` by default. */
  permission?: Permission
  /** To create one, where that is another. */
  permissionToAdd?: Permission
  texts: { title: string; add: string; create: string; forbidden: string }
  Editor: ComponentType<EditorProps<Input>>
  /** What a new one begins with; called with every render, and the first answer counts. */
  useNew: () => Input
  toInput: (resource: Resource) => Input
  toBody: (input: Input) => Body
  /** The fields that a change may have; often the same as those of the creation. */
  toPatchBody: (input: Input) => PatchBody
  /** The id in the address of the page that edits. */
  useId: () => string
  /** Leaves a page that has saved. */
  leave: (navigate: ReturnType<typeof useNavigate>, id: string) => Promise<void>
  /** The same after a creation, where that leads elsewhere. */
  leaveNew?: (navigate: ReturnType<typeof useNavigate>, id: string) => Promise<void>
  /** What the heading of the page that edits has in addition. */
  heading?: (resource: Resource) => Heading
  /** The children of the editor. */
  side?: (resource: Resource) => ReactNode
  /** What those who may not edit see of it in place of a sentence. */
  readOnly?: (resource: Resource) => ReactNode
}

/** The annotation of the pages: their types may not depend on those of the routes, which name the pages. */
export interface PagesOf<Input> {
  AddPage: () => ReactNode
  /** The page that creates one for those who may, with what it begins with. */
  NewPage: (props: { input: Input }) => ReactNode
  EditPage: () => ReactNode
}

interface FrameProps {
  resource: Named
  heading: Heading | undefined
  /** In place of all but the note. */
  readOnly: ReactNode
  children: ReactNode
}

/** The page of an editor, with the way to its history and where it is managed. */
function EditFrame({ resource: { id, name, managed }, heading, readOnly, children }: FrameProps) {
  const note = managed && (
    <div className="mb-4 max-w-3xl">
      <ManagedNote managed={managed} />
    </div>
  )
  const aside = (
    <>
      {heading?.aside}
      <HistoryLink id={id} />
    </>
  )
  return readOnly === undefined ? (
    <Page title={messages.titles.edit(name)} {...heading} aside={aside}>
      {note}
      {children}
    </Page>
  ) : (
    <>
      {readOnly}
      <div className="mt-4">{note}</div>
    </>
  )
}

/** What both pages save with. */
const useSaving = () => ({ client: useViewer().client, cache: useCache(), navigate: useNavigate(), undo: useUndo() })

/** A change of the password of a status page alone is no change set: what was before is stored as a hash. */
const isKept = (field: string): boolean => field !== 'password'

/** The pages of a resource: one that creates it, and one that edits it while others may change it too. */
export function createEditorPages<Resource extends Named, Input extends object, Body extends object, PatchBody extends object>(
  pages: EditorPages<Resource, Input, Body, PatchBody>,
): PagesOf<Input> {
  const { noun, api, texts, Editor, toInput, toPatchBody, leave, leaveNew = leave, permission = 'monitors:update' } = pages

  function AddPage() {
    const [input] = useState(pages.useNew())
    const { can } = useViewer()
    if (can(pages.permissionToAdd ?? permission)) return <NewPage input={input} />
    return (
      <Page title={texts.add}>
        <p>{texts.forbidden}</p>
      </Page>
    )
  }

  function NewPage({ input }: { input: Input }) {
    const { client, cache, navigate, undo } = useSaving()
    const save = async (typed: Input, idempotencyKey: string) => {
      const created = await api(client).create(pages.toBody(typed), { idempotencyKey })
      if (pages.isCached) cache.set([noun, created.id], created)
      toast(messages.done.created(created.name), undo(created.id))
      await leaveNew(navigate, created.id)
      await cache.invalidate(noun, ...(pages.hasListKey ? ['list'] : []))
    }
    return (
      <Page title={texts.add}>
        <Editor input={input} action={texts.create} onSave={save} isNew />
      </Page>
    )
  }

  function EditPage() {
    const isEditor = useViewer().can(permission)
    const id = pages.useId()
    const query = useEditedQuery(noun, id, (client, signal) => api(client).read(id, { signal }))
    return (
      <QueryPage title={texts.title} query={query}>
        {(data) => (
          <EditFrame resource={data} heading={pages.heading?.(data)} readOnly={isEditor ? undefined : pages.readOnly?.(data)}>
            {isEditor ? <Edit resource={data} /> : <p>{texts.forbidden}</p>}
          </EditFrame>
        )}
      </QueryPage>
    )
  }

  function Edit({ resource }: { resource: Resource }) {
    const { client, cache, navigate, undo } = useSaving()
    const { id, managed } = resource
    const { confirmOverwrite, question } = useOverwriteQuestion(managed)
    const { save, revision, input, saved, conflict } = useEdit({
      resource,
      read: () => api(client).read(id),
      toInput,
      toBody: toPatchBody,
      patch: (changes, options) => api(client).update(id, changes, options),
    })
    const onSave = async (typed: Input) => {
      await confirmOverwrite()
      const sent = await save(typed)
      if (!sent) return
      toast(messages.done.saved, sent.some(isKept) ? undo(id) : undefined)
      await leave(navigate, id)
      await cache.invalidate(noun)
    }
    return (
      <>
        <Editor key={revision} {...{ input, saved, conflict, onSave }} action={messages.actions.save}>
          {pages.side?.(resource)}
        </Editor>
        {question}
      </>
    )
  }

  return { AddPage, NewPage, EditPage }
}
