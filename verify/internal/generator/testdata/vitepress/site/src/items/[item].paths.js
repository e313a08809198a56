export default { paths: () => [{ params: { item: 'first' } }] }
