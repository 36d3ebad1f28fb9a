import { Component, type ReactNode } from 'react'
import { Button } from '../components/button.tsx'
import { text } from '../messages/index.ts'

/** What to do when a page breaks: its own fault never leaves an empty window. */
export class Boundary extends Component<{ children: ReactNode }, { error: Error | undefined }> {
  override state: { error: Error | undefined } = { error: undefined }

  static getDerivedStateFromError(error: Error) {
    return { error }
  }

  override render() {
    if (!this.state.error) return this.props.children
    return <BrokenPage />
  }
}

export function BrokenPage() {
  return (
    <div role="alert" className="mx-auto mt-[12vh] grid max-w-md gap-3 p-6 text-center">
      <p className="font-semibold text-[1.15rem]">{text.errors.unknown}</p>
      <p className="text-soft">{text.errors.unknownAdvice}</p>
      <Button look="primary" className="justify-self-center" onClick={() => location.reload()}>
        {text.actions.reload}
      </Button>
    </div>
  )
}
