import type { Managed } from '@vedette/shared'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useRef, useState } from 'react'
import { createPart } from '../lib/create-part.tsx'
import { messages } from '../messages/index.ts'
import { buttonClass } from './button.tsx'

/** Most resources are managed nowhere. */
const { Part: Note } = createPart(() => import('./managed-note.tsx'))
const { Part: Question } = createPart(() => import('./overwrite-question.tsx'))

/** Says where a resource is managed; nothing where it is not. */
export function ManagedNote({ managed }: { managed: Managed | null | undefined }) {
  return managed ? <Note managed={managed} placeholder={<p className="panel skeleton h-9.5" />} /> : null
}

/** To all changes of a resource. */
export function HistoryLink({ id }: { id: string }) {
  return (
    <Link to="/changes" search={{ resource: id }} className={buttonClass()}>
      {messages.actions.history}
    </Link>
  )
}

/** Both at the head of a dialog that edits. */
export function Origin({ id, managed }: { id: string; managed: Managed | null }) {
  return (
    <div className="mb-4 grid justify-items-start gap-3">
      <ManagedNote managed={managed} />
      <HistoryLink id={id} />
    </div>
  )
}

interface Answer {
  resolve: () => void
  reject: () => void
}

interface OverwriteQuestion {
  confirmOverwrite: () => Promise<void>
  question: ReactNode
}

/**
 * To be awaited before a change by hand is saved: it resolves at once where nothing manages the resource, and after the first yes. It
 * rejects with nothing, which a form does not show, after a no. `question` has to be rendered outside of the form.
 */
export function useOverwriteQuestion(managed: Managed | null | undefined): OverwriteQuestion {
  const [answer, setAnswer] = useState<Answer>()
  const isAnswered = useRef(false)
  const confirmOverwrite = async () => {
    if (!managed || isAnswered.current) return
    await new Promise<void>((resolve, reject) => setAnswer({ resolve, reject }))
  }
  const confirm = () => {
    isAnswered.current = true
    answer?.resolve()
  }
  const close = () => {
    answer?.reject()
    setAnswer(undefined)
  }
  const question = managed && answer && <Question owner={managed.owner} onConfirm={confirm} onClose={close} />
  return { confirmOverwrite, question }
}
