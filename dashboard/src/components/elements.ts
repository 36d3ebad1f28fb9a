/** A copy of what stands in a `<template>` of the page. */
export function fromTemplate(id: string): HTMLElement {
  const template = document.getElementById(id) as HTMLTemplateElement
  return template.content.firstElementChild?.cloneNode(true) as HTMLElement
}

/** The one element within that fits; the page's own markup has it. */
export function find(within: ParentNode, selector: string): HTMLElement {
  const found = within.querySelector<HTMLElement>(selector)
  if (!found) throw new Error(`the page has no ${selector}`)
  return found
}

export function paragraph(className: string, text: string): HTMLElement {
  const made = document.createElement('p')
  made.className = className
  // Text of the API is only ever set as text.
  made.textContent = text
  return made
}
