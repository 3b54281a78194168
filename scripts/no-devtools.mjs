// Stands in for react-devtools-core, which Ink loads only for development.
export default { initialize() {}, connectToDevTools() {} };
