export { parser, FlowDB } from 'flow-chunk'; export { preprocessDiagram, encodeEntities } from 'mermaid-core';
